import type { Event, Ready, Tasks, Turn } from '@plugboard/protocol';
import type { OpenAgent, ResidentControls } from '../agent.ts';
import { type Channel, createChannel } from '../run/channel.ts';
import type { Run } from '../run/queue.ts';
import { type Front, passOn } from './front.ts';

/** How long an agent may take to say who it is. */
const INTRODUCTION_MS = 3_000;

/** A turn that an agent starts by itself, in the shape in which a serving agent takes it. */
interface UnaskedTurn {
  readonly origin: 'alarm' | 'task';
  readonly turn: Turn;
  handler(turn: Turn, front: Front): Promise<void>;
}

/** What an agent does between the turns of a front: turns of its own, and what has become of its background tasks. */
export function bridgeUnasked({ resident }: OpenAgent): AsyncIterable<UnaskedTurn | Tasks> {
  const channel = createChannel<UnaskedTurn | Tasks>();
  let latest: Tasks | undefined;
  resident?.onIdleEvent((event) => {
    if (event.type !== 'tasks') return;
    // Each tells of all tasks: before a front wants to know of them, one is enough.
    if (channel.wanted()) channel.add(event);
    else latest = event;
  });
  return {
    [Symbol.asyncIterator]() {
      if (latest !== undefined) channel.add(latest);
      if (resident === undefined) channel.close();
      else void takeTurns(resident, channel);
      return channel.iterate();
    },
  };
}

async function takeTurns(resident: ResidentControls, channel: Channel<UnaskedTurn | Tasks>): Promise<void> {
  for await (const run of resident.unasked()) channel.add(await unaskedTurn(run));
  channel.close();
}

async function unaskedTurn(run: Run): Promise<UnaskedTurn> {
  const events = run[Symbol.asyncIterator]();
  const { value: first } = await events.next();
  const said = { [Symbol.asyncIterator]: () => beginningWith(first, events) };
  return {
    origin: (first?.type === 'accepted' ? first.origin : undefined) ?? 'task',
    turn: { id: 'unasked', text: '', attachments: [], session: { key: 'default' } },
    async handler(_turn, front) {
      const end = await passOn(said, front);
      if (end !== undefined) await front.emit(end);
    },
  };
}

async function* beginningWith(first: Event | undefined, rest: AsyncIterator<Event>): AsyncGenerator<Event> {
  if (first !== undefined) yield first;
  yield* { [Symbol.asyncIterator]: () => rest };
}

/**
 * What a resident agent says about itself when it starts, which it does now: a front of the same kind says it in its place.
 * Undefined when the agent says nothing of the sort.
 */
export async function introduction(agent: OpenAgent): Promise<Ready | undefined> {
  const { resident } = agent;
  if (resident === undefined || agent.startAhead === undefined) return undefined;
  const { promise, resolve } = Promise.withResolvers<Ready | undefined>();
  resident.onIdleEvent((event) => event.type === 'ready' && resolve(event));
  agent.startAhead();
  const timer = setTimeout(() => resolve(undefined), INTRODUCTION_MS);
  // No answer at all is that of one that has ended.
  void resident.status().then((status) => status === undefined && resolve(undefined));
  return promise.finally(() => clearTimeout(timer));
}
