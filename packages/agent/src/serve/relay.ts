import type { AgentEffect, AgentInput, HistoryEntry, Ready } from '@plugboard/protocol';
import type { InputLine } from '../input.ts';
import { applyInput, emitEvent, type Request, type Station } from '../station.ts';
import type { Life } from './life.ts';
import { findSession, type History, listSessions } from './sessions.ts';

/**
 * Takes the place of a handler where the process stays: gets the effects of the dialect's machine, and gives it its
 * inputs by `tell`, whose promise settles when stdout has room for more.
 */
export type Relay = (tell: (input: AgentInput) => Promise<void>) => OpenRelay;

export interface OpenRelay {
  take(
    request:
      | AgentEffect
      /** No line of stdin will come any more. */
      | { readonly type: 'input-end' }
      /** The process is asked to end: running turns are to be cancelled. */
      | { readonly type: 'stop' }
      /** The time for that is over: every turn is to get its `end` now. */
      | { readonly type: 'give-up' },
  ): void;
  /** Settles when no line will come and every turn has its `end`. */
  readonly done: Promise<void>;
}

export interface RelayOptions {
  readonly ready: Ready;
  readonly now: () => Date;
  /** What was said before, for dialects whose hosts open sessions again. The relay is asked after it. */
  readonly history?: History;
}

/** Joins the machine of the dialect with `relay` until stdin and the last turn have ended. Resolves to the exit code. */
export async function serveRelay(
  station: Station,
  relay: Relay,
  lines: AsyncIterable<InputLine>,
  life: Life,
  { ready, now, history }: RelayOptions,
): Promise<number> {
  // With `conversations: 'one'` the id in `ready` holds for every line: a `session` event must not change it.
  const isFixed = station.dialect.capabilities.conversations === 'one';
  const step = (input: AgentInput): Promise<void> => {
    const { requests, written } = applyInput(station, input);
    for (const request of requests) passOn(request);
    return written;
  };
  /** What was said in sessions that the relay is still to open, by session key. */
  const said = new Map<string, readonly HistoryEntry[]>();
  const openSession = async (request: Request & { type: 'open-session' }): Promise<void> => {
    const found = await findSession(request, history);
    if (found.failure !== undefined) return step(found);
    if (found.history !== undefined) said.set(found.sessionKey, found.history);
    take(request);
  };
  const passOn = (request: Request): void => {
    if (request.type === 'open-session') void openSession(request);
    else if (request.type === 'list-sessions') void listSessions(request, history, station.log).then(step);
    else take(request);
  };
  const tell = (input: AgentInput): Promise<void> => {
    if (input.type === 'session-opened') {
      const history = said.get(input.sessionKey);
      said.delete(input.sessionKey);
      return step(history === undefined ? input : { ...input, history });
    }
    if (input.type !== 'event') return step(input);
    const { turnId, event, sessionKey } = input;
    if (isFixed && event.type === 'session') return Promise.resolve();
    const at = { at: now().toISOString() };
    return emitEvent(station, turnId, event.type === 'accepted' ? { ...event, ...at } : event, sessionKey);
  };
  const { requests } = applyInput(station, { type: 'started' });
  await emitEvent(station, undefined, ready);
  const { take, done } = relay(tell);
  for (const request of requests) passOn(request);
  life.signal.addEventListener('abort', () => {
    take({ type: 'stop' });
    setTimeout(take, life.lastWordsMs, { type: 'give-up' });
  });
  for await (const line of lines) {
    await step({ type: 'line', ...line });
    if (life.signal.aborted) break;
  }
  await step({ type: 'input-end' });
  take({ type: 'input-end' });
  await done;
  return 0;
}
