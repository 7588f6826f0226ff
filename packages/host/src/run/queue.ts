import type { End, Event } from '@plugboard/protocol';
import { limitFaults } from './fault-limit.ts';

/** A turn under way: its events, and how it ends. Leaving the loop over it early cancels the turn. */
export interface Run extends AsyncIterable<Event> {
  /** Settles when the turn has ended, never rejects. Asked for without reading the events at once, it lets them go. */
  readonly result: Promise<End>;
  /** The events as they come in, several at a time: the cheap way to read a flood of them. */
  batches(): AsyncIterableIterator<readonly Event[]>;
}

/** What a queue tells the one who fills it. */
export interface QueueOwner {
  /** Everything was taken: more may be read from the process. */
  onDrained(): void;
  /** The consumer has gone away before the end. */
  onAbandoned(): void;
}

/** Events of one turn, on their way from the process to whoever asked for the turn. */
export interface EventQueue {
  readonly owner: QueueOwner;
  readonly result: { readonly promise: Promise<End>; readonly resolve: (end: End) => void };
  /** Faults so far. */
  faults: number;
  waiting: Event[];
  head: number;
  closed: boolean;
  /** Somebody loops over the events. */
  reading: boolean;
  /** Somebody wants the result; unless they read too, events are let go. */
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
  if (queue.closed || last === undefined) return;
  if (queue.waiting.length === 0) queue.waiting = events;
  else for (const event of events) queue.waiting.push(event);
  if (last.type === 'end') close(queue, last);
  else announce(queue);
}

/** The consumer's view of a queue. */
export function runOf(queue: EventQueue): Run {
  return new QueueRun(queue);
}

/** A class, as is the iterator: in object literals their members would be made anew for each turn, a measurable part of a short one. */
class QueueRun implements Run {
  readonly #queue: EventQueue;

  constructor(queue: EventQueue) {
    this.#queue = queue;
  }

  get result(): Promise<End> {
    this.#queue.resultWanted = true;
    // Asked for together with the events, the loop over them starts within this turn of the event loop.
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

/** The end stays, for whoever comes to read after all. */
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

/** Iterates without a generator: what is there already costs one settled promise, not a suspended frame. */
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
    // There may be more than one who asks for the next.
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
