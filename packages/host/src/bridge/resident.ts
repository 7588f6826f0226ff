import type { Event, Ready, Tasks, Turn } from '@plugboard/protocol';
import type { OpenAgent, ResidentControls } from '../agent.ts';
import { createFeed, type Feed } from '../run/feed.ts';
import type { Run } from '../run/queue.ts';
import { type Front, passOn } from './front.ts';
import { passSteering } from './steering.ts';

/** How long an agent may take to say who it is. */
const INTRODUCTION_MS = 3_000;

/** A turn that an agent starts by itself, in the shape in which a serving agent takes it. */
interface UnaskedTurn {
  /** Absent when it answers what came too late for the turn before. */
  readonly origin?: 'alarm' | 'task';
  readonly turn: Turn;
  handler(turn: Turn, front: Front): Promise<void>;
}

/** What an agent does between the turns of a front: turns of its own, and what has become of its background tasks. */
export function bridgeUnasked(agent: OpenAgent): AsyncIterable<UnaskedTurn | Tasks> {
  const { resident } = agent;
  const feed = createFeed<UnaskedTurn | Tasks>();
  let latest: Tasks | undefined;
  resident?.onIdleEvent((event) => {
    if (event.type !== 'tasks') return;
    // Each tells of all tasks: before a front wants to know of them, one is enough.
    if (feed.wanted()) feed.add(event);
    else latest = event;
  });
  return {
    [Symbol.asyncIterator]() {
      if (latest !== undefined) feed.add(latest);
      if (resident === undefined) feed.close();
      else void takeTurns(agent, resident, feed);
      return feed.iterate();
    },
  };
}

async function takeTurns(
  agent: OpenAgent,
  resident: ResidentControls,
  feed: Feed<UnaskedTurn | Tasks>,
): Promise<void> {
  for await (const run of resident.unasked()) feed.add(await unaskedTurn(agent, run));
  feed.close();
}

async function unaskedTurn(agent: OpenAgent, run: Run): Promise<UnaskedTurn> {
  const events = run[Symbol.asyncIterator]();
  const { value: first } = await events.next();
  const said = { [Symbol.asyncIterator]: () => beginningWith(first, events) };
  return {
    ...originOf(first),
    turn: { id: 'unasked', text: '', attachments: [], session: { key: 'default' } },
    async handler(_turn, front) {
      const stopSteering = passSteering(agent, front);
      const stopHeeding = heed(agent, run, front);
      try {
        const end = await passOn(said, front);
        if (end !== undefined) await front.emit(end);
      } finally {
        stopSteering();
        stopHeeding();
      }
    },
  };
}

/** One that says what it is about, or nothing at all, is of its own; the answer to a message is announced without. */
function originOf(first: Event | undefined): Pick<UnaskedTurn, 'origin'> {
  if (first?.type !== 'accepted') return { origin: 'task' };
  return first.origin === undefined ? {} : { origin: first.origin };
}

/** Whoever stops the turn at the front stops it here, unless it has ended meanwhile. */
function heed({ resident }: OpenAgent, run: Run, { signal }: Front): () => void {
  let over = false;
  void run.result.then(() => {
    over = true;
  });
  const stop = (): void => {
    if (!over) resident?.interrupt();
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  return () => signal.removeEventListener('abort', stop);
}

async function* beginningWith(first: Event | undefined, rest: AsyncIterator<Event>): AsyncGenerator<Event> {
  if (first !== undefined) yield first;
  yield* { [Symbol.asyncIterator]: () => rest };
}

/**
 * What a resident agent says about itself when it starts, which it does now: a front of the same kind says it in its place.
 * Undefined when the agent says nothing of the sort.
 */
export async function introduction(agent: OpenAgent, sessionKey?: string): Promise<Ready | undefined> {
  const { resident } = agent;
  if (resident === undefined || agent.startAhead === undefined) return undefined;
  const { promise, resolve } = Promise.withResolvers<Ready | undefined>();
  resident.onIdleEvent((event) => event.type === 'ready' && resolve(event));
  resident.onProcessEnd(() => resolve(undefined));
  agent.startAhead(sessionKey);
  const timer = setTimeout(() => resolve(undefined), INTRODUCTION_MS);
  return promise.finally(() => clearTimeout(timer));
}
