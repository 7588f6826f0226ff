import { createTurn, currentFileTime, type End, type Event, type MediaAccess } from '@plugboard/host';
import { reasonOf } from '@plugboard/protocol';
import { type Claim, LostClaimError } from '@plugboard/store';
import type { Taken } from '../agents/agents.ts';
import { isBriefSession } from './brief-session.ts';
import type { TurnContext } from './context.ts';
import { gathered } from './gather.ts';
import { type OwnTurn, readAhead } from './own.ts';
import { endStray, type Running, turnFor } from './running.ts';
import { append, complete, putBack } from './writing.ts';

/** Runs a turn that was claimed, to its end. Never rejects. */
export async function runTurn(context: TurnContext, running: Running): Promise<void> {
  const { session, message } = running.claim;
  const taken =
    message === undefined
      ? undefined
      : context.agents.take(session.agent, session.id, isBriefSession(session));
  if (taken === undefined || message === undefined) return refuse(context, running);
  await employ(context, running, taken, () =>
    runAll(context, running, taken, taken.agent.run(turnFor(running.claim, message), running.abort.signal)),
  );
}

/** Writes down a turn that the agent began by itself. Never rejects. */
export async function recordTurn(context: TurnContext, running: Running, run: OwnTurn): Promise<void> {
  const { session } = running.claim;
  const taken = context.agents.take(session.agent, session.id);
  if (taken === undefined) {
    // It was taken out of the configuration a moment ago, and nobody reads what it says.
    void run.batches().return?.();
    return refuse(context, running);
  }
  const stop = (): void => void taken.agent.resident?.interrupt();
  await employ(context, running, taken, () => {
    running.abort.signal.addEventListener('abort', stop);
    if (session.waiting > 0) endStray(taken);
    return runAll(context, running, taken, run, () =>
      running.abort.signal.removeEventListener('abort', stop),
    );
  });
}

function refuse(context: TurnContext, running: Running): Promise<void> {
  const end = unknownAgent(running.claim.session.agent);
  return keep(context, running, () => complete(context, running, [], end));
}

async function employ(
  context: TurnContext,
  running: Running,
  taken: Taken,
  work: () => Promise<void>,
): Promise<void> {
  const { turn, session } = running.claim;
  running.agent = taken.agent;
  running.shared = taken.config.share;
  running.access = accessFor(running.claim, taken);
  context.feed.changed(session.id);
  context.recordings.begin(turn.id, taken.agent, taken.recorder);
  context.previews.begin(running.claim);
  await keep(context, running, work);
  context.previews.end(running.claim);
  context.recordings.end(turn.id);
  taken.release();
}

/** A turn that nobody asked for has no message, so that nothing in it was said by a person. */
function accessFor(claim: Claim, { agent }: Taken): () => MediaAccess {
  const { message, session, turn } = claim;
  const asked =
    message === undefined
      ? createTurn({ id: turn.id, session: { key: session.id } })
      : turnFor(claim, message);
  const since = currentFileTime();
  return () => agent.mediaAccess(asked, since);
}

/** A turn that was taken from us is stopped and forgotten: somebody else has ended it. */
async function keep(context: TurnContext, running: Running, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    running.abort.abort();
    const { session, turn } = running.claim;
    const fields = { session: session.id, turn: turn.id };
    if (error instanceof LostClaimError)
      return context.log.warn('A turn was ended by somebody else.', fields);
    context.log.error(`A turn could not be kept: ${reasonOf(error)}`, fields);
    await giveUp(context, running, error);
  }
}

/** Whatever went wrong, the session must not be left with a turn that nobody runs: nothing more would be answered in it. */
async function giveUp(context: TurnContext, running: Running, reason: unknown): Promise<void> {
  const message = `The gateway could not write this turn down: ${reasonOf(reason)}`;
  const end: End = { type: 'end', outcome: 'error', text: '', error: { message, code: 'not-kept' } };
  try {
    await complete(context, running, [], end);
  } catch (error) {
    const { session, turn } = running.claim;
    const fields = { session: session.id, turn: turn.id };
    context.log.error(`A turn stays open until the gateway is started anew: ${reasonOf(error)}`, fields);
  }
}

/** The turn itself, and what was said too late for it to be steered but has been taken in. */
async function runAll(
  context: TurnContext,
  running: Running,
  taken: Taken,
  first: OwnTurn,
  onRead: () => void = () => {},
): Promise<void> {
  for (let run = first; ; ) {
    const { rest, end } = await readRun(context, running, taken, run);
    onRead();
    await running.steering;
    const turn = end.outcome === 'success' ? running.followUps.shift() : undefined;
    if (turn === undefined) {
      const last = await readLate(context, running, taken, { rest, end });
      leave(context, running);
      return complete(context, running, last.rest, last.end);
    }
    await append(context, running, rest);
    run = taken.agent.run(turn, running.abort.signal);
  }
}

/** What was given to a turn and is not answered in it is answered after it; nobody wants that of one who was stopped. */
function leave(context: TurnContext, running: Running): void {
  const { own, late, followUps } = running;
  own.push(...late.rest().map((turn) => readAhead(turn)));
  for (const turn of followUps.splice(0)) putBack(context, running, turn);
}

/** The turn is not over before everything that was given to it has been answered. */
async function readLate(
  context: TurnContext,
  running: Running,
  taken: Taken,
  words: LastWords,
): Promise<LastWords> {
  const { resident } = taken.agent;
  const { signal } = running.abort;
  // The agent has begun these by itself, so that nobody but us passes the wish to stop on to it.
  const stop = (): void => void resident?.interrupt();
  signal.addEventListener('abort', stop);
  try {
    let last = words;
    while (resident !== undefined && running.late.expected && last.end.outcome === 'success') {
      const run = await running.late.next(resident);
      if (run === undefined) break;
      if (signal.aborted) stop();
      await append(context, running, last.rest);
      last = await readRun(context, running, taken, run);
    }
    return last;
  } finally {
    signal.removeEventListener('abort', stop);
    running.late.expected = false;
  }
}

interface LastWords {
  /** Events that came together with the end. */
  readonly rest: readonly Event[];
  readonly end: End;
}

/** Events are on the disk before anybody sees them, and the agent is read no faster than that. */
async function readRun(
  context: TurnContext,
  running: Running,
  taken: Taken,
  run: OwnTurn,
): Promise<LastWords> {
  for await (const batch of gathered(run.batches())) {
    const end = batch.at(-1);
    for (const event of batch) taken.saw(event);
    noteBegun(context, running, batch);
    if (end?.type === 'end') return { rest: batch.slice(0, -1), end: endOf(running, end) };
    await append(context, running, batch);
  }
  return {
    rest: [],
    end: { type: 'end', outcome: 'error', text: '', error: { message: 'The agent said no end.' } },
  };
}

/** From now on an agent that can be steered can be: people who look at the session are told. */
function noteBegun({ feed }: TurnContext, running: Running, batch: readonly Event[]): void {
  if (running.begun || !batch.some(({ type }) => type === 'accepted')) return;
  running.begun = true;
  feed.changed(running.claim.session.id);
}

/** An agent that was stopped by us does not know why. */
function endOf({ stopped }: Running, end: End): End {
  if (end.outcome === 'success') return end;
  if (stopped === 'timeout') {
    const message = 'The turn took longer than this gateway allows, and was stopped.';
    return { ...end, outcome: 'timeout', error: { message, code: 'timeout' } };
  }
  if (stopped === 'shutdown') {
    const message = 'The gateway was stopped while the turn was running.';
    return { ...end, outcome: 'cancelled', error: { message, code: 'shutdown' } };
  }
  return end;
}

function unknownAgent(name: string): End {
  const message = `There is no agent "${name}" any more. Choose another one with /agent NAME.`;
  return { type: 'end', outcome: 'error', text: '', error: { message, code: 'unknown-agent' } };
}
