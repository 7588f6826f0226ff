import type { End, Event } from '@plugboard/protocol';
import { limitFaults } from './fault-limit.ts';

/** A turn under way: its events, and how it ends. Leaving the loop over it early cancels the turn. */
export interface Run extends AsyncIterable<Event> {
  /**
   * Settles with the `end` of the turn and never rejects. Asking for it without reading the events drops the events.
   */
  readonly result: Promise<End>;
  /** The events in batches as they come in, which costs less per event in a flood. */
  batches(): AsyncIterableIterator<readonly Event[]>;
}

/** Callbacks to the producer of a queue. */
export interface QueueOwner {
  /** All events were taken: `stdout` may be read again. */
  onDrained(): void;
  /** The consumer has left the loop before the `end`. */
  onAbandoned(): void;
}

/** The events of one turn, between the process and the consumer of `Run`. */
export interface EventQueue {
  readonly owner: QueueOwner;
  readonly result: { readonly promise: Promise<End>; readonly resolve: (end: End) => void };
  /** Faults so far. */
  faults: number;
  waiting: Event[];
  head: number;
  closed: boolean;
  /** A `QueueIterator` exists. */
  reading: boolean;
  /** `result` was asked for; without a reader the events are dropped. */
  resultWanted: boolean;
  wake: (() => void) | undefined;
}

export function createQueue(owner: QueueOwner): EventQueue {
  return {
    owner,
    result: Promise.withResolvers<End>(),
    faults: 0,
    waiting: [],
    head: 0,
    closed: false,
    reading: false,
    resultWanted: false,
    wake: undefined,
  };
}

/** Adds events in order; the array is the queue's from now on. An `end` is the last of them, and of all. */
export function pushEvents(queue: EventQueue, given: Event[]): void {
  const events = limitFaults(queue, given);
  const last = events.at(-1);
  if (queue.closed) return;
  if (last === undefined) {
    // All events were faults that `limitFaults` dropped: the consumer takes no event, so `onDrained` is called here.
    if (queue.waiting.length === 0) queue.owner.onDrained();
    return;
  }
  if (queue.waiting.length === 0) queue.waiting = events;
  else for (const event of events) queue.waiting.push(event);
  if (last.type === 'end') close(queue, last);
  else announce(queue);
}

/** The consumer's view of a queue. */
export function runOf(queue: EventQueue): Run {
  return new QueueRun(queue);
}

/**
 * A class, like the iterator: object literals would create their methods anew for each turn, a measurable part of a
 * short turn.
 */
class QueueRun implements Run {
  readonly #queue: EventQueue;

  constructor(queue: EventQueue) {
    this.#queue = queue;
  }

  get result(): Promise<End> {
    this.#queue.resultWanted = true;
    // Gives a caller who asked for `result` and the events until the next event-loop iteration to begin the loop.
    setImmediate(letGo, this.#queue);
    return this.#queue.result.promise;
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<Event> {
    return new QueueIterator(this.#queue, takeOne);
  }

  batches(): AsyncIterableIterator<readonly Event[]> {
    return new QueueIterator(this.#queue, takeBatch);
  }
}

function close(queue: EventQueue, end: End): void {
  queue.closed = true;
  queue.result.resolve(end);
  announce(queue);
}

function announce(queue: EventQueue): void {
  const { wake } = queue;
  queue.wake = undefined;
  wake?.();
  letGo(queue);
}

/** Keeps the `end` for a later reader. */
function letGo(queue: EventQueue): void {
  if (queue.reading || !queue.resultWanted || queue.waiting.length === 0) return;
  const last = takeAll(queue).at(-1);
  if (last?.type === 'end') queue.waiting.push(last);
}

function takeAll(queue: EventQueue): Event[] {
  const batch = queue.head === 0 ? queue.waiting : queue.waiting.slice(queue.head);
  queue.waiting = [];
  queue.head = 0;
  queue.owner.onDrained();
  return batch;
}

function takeOne(queue: EventQueue): Event | undefined {
  const event = queue.waiting[queue.head];
  if (event !== undefined && ++queue.head === queue.waiting.length) takeAll(queue);
  return event;
}

function takeBatch(queue: EventQueue): readonly Event[] | undefined {
  return queue.waiting.length > queue.head ? takeAll(queue) : undefined;
}

/** Iterates without a generator: an available event costs one settled promise instead of a suspended frame. */
class QueueIterator<T> implements AsyncIterableIterator<T> {
  readonly #queue: EventQueue;
  readonly #take: (queue: EventQueue) => T | undefined;

  constructor(queue: EventQueue, take: (queue: EventQueue) => T | undefined) {
    if (queue.reading)
      throw new Error('The events of a turn can be read only once: somebody reads them already.');
    queue.reading = true;
    this.#queue = queue;
    this.#take = take;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    const value = this.#take(this.#queue);
    return value === undefined ? this.#later() : Promise.resolve({ value, done: false });
  }

  async #later(): Promise<IteratorResult<T, undefined>> {
    for (;;) {
      const value = this.#take(this.#queue);
      if (value !== undefined) return { value, done: false };
      if (this.#queue.closed) return { value: undefined, done: true };
      await arrival(this.#queue);
    }
  }

  return(): Promise<IteratorResult<T, undefined>> {
    abandon(this.#queue);
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

function arrival(queue: EventQueue): Promise<void> {
  return new Promise((resolve) => {
    const { wake } = queue;
    // Several `next` calls may wait at once, so earlier waiters are woken too.
    queue.wake = () => {
      wake?.();
      resolve();
    };
  });
}

function abandon(queue: EventQueue): void {
  queue.reading = false;
  queue.resultWanted = true;
  if (!queue.closed) queue.owner.onAbandoned();
  letGo(queue);
}
