import { reasonOf } from '@plugboard/protocol';
import { SocketModeClient } from '@slack/socket-mode';
import { type Clock, sleep } from '../../clock.ts';
import { retryDelay } from '../../delivery/retry.ts';
import { settledWithin } from '../../delivery/timeout.ts';
import type { Logger } from '../../log.ts';
import { clientOptions, libraryLogger } from './calls.ts';
import { guardFrames } from './frames.ts';
import type { EventSink } from './hook.ts';
import type { Acknowledgement } from './interactions.ts';
import { isRecord, type Json } from './json.ts';
import { problemOf, SlackCallError } from './problems.ts';

/** The WebSocket of Socket Mode, which is reopened when it closes. */
export interface SocketLink {
  /** Settles after the `hello` frame. */
  open(): Promise<void>;
  close(): Promise<void>;
}

export interface SocketOptions {
  readonly appToken: string;
  readonly api: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly channel: string;
  readonly sink: EventSink;
  /** Called when the connection cannot be opened again until the settings change. */
  readonly onFail: (reason: string) => void;
}

/** Timeout from `apps.connections.open` to the `hello` frame. */
const CONNECT_MS = 20_000;

/** Wait for the answer to a close frame. */
const CLOSE_MS = 500;

/** A connection that closes within this time counts as a failure. Slack renews connections after about an hour. */
const SHORT_LIFE_MS = 10_000;

interface State extends SocketOptions {
  readonly client: SocketModeClient;
  readonly end: AbortController;
  phase: 'closed' | 'connecting' | 'open';
  /** The last `start` of the library. */
  opening: Promise<unknown>;
  openedAt: number;
  /** Connections in a row that ended soon, or were not opened. */
  failures: number;
  /** Reason of the last `disconnect` frame. */
  reason: string | undefined;
}

export function createSocketLink(options: SocketOptions): SocketLink {
  const end = new AbortController();
  const client = new SocketModeClient({
    appToken: options.appToken,
    clientOptions: clientOptions(options.api, end.signal),
    // The library would wait 5 s before each new connection.
    autoReconnectEnabled: false,
    logger: libraryLogger,
  });
  const state: State = {
    ...{ ...options, client, end, phase: 'closed' },
    ...{ opening: Promise.resolve(), openedAt: 0, failures: 0, reason: undefined },
  };
  guardFrames(client, (frame) => noteFrame(state, frame));
  client.on('slack_event', (envelope: Envelope) => void takeEnvelope(state, envelope));
  client.on('disconnected', () => {
    if (state.phase === 'open') void reopenSocket(state);
  });
  return {
    open: () => openSocket(state),
    async close() {
      end.abort();
      state.phase = 'closed';
      await closeSocket(state);
      // A `start` that has its WebSocket URL already connects in spite of the abort.
      await settledWithin(options.clock, CLOSE_MS, state.opening);
      await closeSocket(state);
    },
  };
}

function noteFrame(state: State, frame: Json): void {
  if (frame.type === 'disconnect') state.reason = String(frame.reason);
}

interface Envelope {
  readonly type: string;
  readonly body: unknown;
  ack(answer?: Json): Promise<void>;
}

/** Events without `ack` are redelivered. */
async function takeEnvelope({ sink, log, channel }: State, { type, body, ack }: Envelope): Promise<void> {
  try {
    const answer = await takeBody(sink, type, isRecord(body) ? body : {});
    await ack(answer);
  } catch (error) {
    log.debug(`Something of Slack was not acknowledged: ${reasonOf(error)}`, {
      code: 'envelope-not-acknowledged',
      channel,
    });
  }
}

async function takeBody(sink: EventSink, type: string, body: Json): Promise<Acknowledgement> {
  if (type === 'interactive') return sink.takeInteraction(body);
  if (type === 'slash_commands') return sink.takeCommand(body);
  if (type === 'events_api') await sink.takeEvent(body);
  return undefined;
}

async function openSocket(state: State): Promise<void> {
  const { client, clock } = state;
  state.phase = 'connecting';
  state.reason = undefined;
  const started = client.start().catch((error: unknown) => {
    throw connectionProblem(error);
  });
  state.opening = started.catch(() => {});
  const timer = new AbortController();
  const late = sleep(clock, CONNECT_MS, timer.signal).then(() => {
    throw new SlackCallError('later', 'Slack did not say hello in time.', {});
  });
  late.catch(() => {});
  try {
    await Promise.race([started, late]);
  } catch (error) {
    await closeSocket(state);
    throw error;
  } finally {
    timer.abort();
  }
  state.phase = 'open';
  state.openedAt = clock.now();
}

/** `start` rejects with undefined when the WebSocket closes before `hello`. */
function connectionProblem(error: unknown): SlackCallError {
  if (error === undefined)
    return new SlackCallError('later', 'Slack ended the connection before it said hello.', {});
  const { problem, message, stopsChannel, afterMs, word } = problemOf(error, 'apps.connections.open');
  const options = { stopsChannel, ...(afterMs === undefined ? {} : { afterMs }) };
  return new SlackCallError(problem === 'never' ? 'never' : 'later', message, options, word);
}

/** The second `disconnect` destroys the socket of a peer that has not answered the close frame. */
async function closeSocket({ client, clock }: State): Promise<void> {
  await settledWithin(clock, CLOSE_MS, client.disconnect());
  await settledWithin(clock, CLOSE_MS, client.disconnect());
}

const SWITCHED_OFF = 'Socket Mode was switched off in the settings of the app.';

async function reopenSocket(state: State): Promise<void> {
  const { clock, end, log, channel, onFail } = state;
  state.phase = 'connecting';
  if (state.reason === 'link_disabled') return onFail(SWITCHED_OFF);
  const isShort = clock.now() - state.openedAt < SHORT_LIFE_MS;
  state.failures = isShort ? state.failures + 1 : 0;
  // After `too_many_websockets`, other connections of the app must close first.
  let waitMs =
    state.reason === 'too_many_websockets' ? retryDelay(state.failures + 3) : delayAfter(state.failures);
  while (!end.signal.aborted) {
    await sleep(clock, waitMs, end.signal);
    if (end.signal.aborted) return;
    try {
      await openSocket(state);
      return;
    } catch (error) {
      if (end.signal.aborted) return;
      const problem = problemOf(error, 'apps.connections.open');
      if (problem.problem === 'never') return onFail(problem.message);
      log.warn(`The connection to Slack is tried again: ${problem.message}`, {
        code: 'slack-disconnected',
        channel,
      });
      state.failures += 1;
      waitMs = problem.afterMs ?? delayAfter(state.failures);
    }
  }
}

/** No delay after the first failure: events are held up while there is no connection. */
function delayAfter(failures: number): number {
  return failures <= 1 ? 0 : retryDelay(Math.min(failures - 1, 6));
}
