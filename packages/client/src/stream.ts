import { type Clock, systemClock } from './clock.ts';
import { type CloseReason, type Connection, createConnection, type OpenConnection } from './connection.ts';
import { isPassing } from './error.ts';
import { backoff } from './patience.ts';
import { createSse, pushSse, type SseMessage } from './sse.ts';

/** Three comments that did not come: the gateway sends one every 15 s. */
const SILENCE_MS = 45_000;
/** A connection that ends sooner counts as a failed try, so that pauses go on growing. */
const STEADY_MS = 5_000;

/** How one connection ended. */
export interface Ending {
  /** `failed`: it was never opened, for `error`. `cut`: the other side or the network ended it. */
  readonly reason: CloseReason | 'failed';
  readonly error?: unknown;
  /** The pause that is due: growing with every try, and no less than the `retry` of the server. 0 for `silent` and `released`. */
  readonly waitMs: number;
}

export interface StreamOptions {
  /** Ends following; the generator returns. */
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** A connection without a byte for this time is closed as `silent`; 45 s by default. */
  readonly silenceMs?: number;
  /** Called before each try. */
  readonly onConnection?: (connection: Connection) => void;
  /** Called when the gateway has answered, before the first message. */
  readonly onOpen?: () => void;
  /**
   * Waits before the next try. An error that it throws ends following. By default it sleeps for `waitMs`, and throws each `error`
   * that `isPassing` denies: 401, 403, 404.
   */
  readonly pause?: (ending: Ending, signal: AbortSignal) => Promise<void>;
}

/** Opens one connection; called for every try. Throws a `ClientError` when it is refused. */
export type OpenStream = (signal: AbortSignal) => Promise<Response>;

/** The messages of an event stream over every cut, until `signal` or until `pause` throws. It does not know where to go on: see `followLog`. */
export async function* followStream(
  open: OpenStream,
  options: StreamOptions = {},
): AsyncGenerator<SseMessage> {
  const { signal = new AbortController().signal, clock = systemClock, silenceMs = SILENCE_MS } = options;
  const pause = options.pause ?? ((ending) => sleepUnlessRefused(ending, clock, signal));
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    const connection = createConnection(signal, clock, silenceMs);
    options.onConnection?.(connection);
    const trial: Trial = { connection, retryMs: 0, openedAt: undefined, error: undefined };
    try {
      yield* readOnce(open, trial, options, clock);
    } finally {
      connection.close('cut');
    }
    if (signal.aborted) return;
    if (trial.openedAt !== undefined && clock.now() - trial.openedAt >= STEADY_MS) attempt = 0;
    await pause(endingOf(trial, backoff(attempt)), signal);
  }
}

/** One connection, from opening to its end. */
interface Trial {
  readonly connection: OpenConnection;
  retryMs: number;
  openedAt: number | undefined;
  error: unknown;
}

async function* readOnce(
  open: OpenStream,
  trial: Trial,
  { onOpen }: StreamOptions,
  clock: Clock,
): AsyncGenerator<SseMessage> {
  const { connection } = trial;
  const state = createSse();
  try {
    const { body } = await open(connection.signal);
    trial.openedAt = clock.now();
    onOpen?.();
    if (body === null) return;
    for await (const bytes of connection.read(body)) {
      const messages = pushSse(state, bytes);
      trial.retryMs = state.retry ?? 0;
      for (const message of messages) if (!connection.signal.aborted) yield message;
    }
  } catch (error) {
    trial.error = error;
  }
}

function endingOf({ connection, openedAt, error, retryMs }: Trial, pauseMs: number): Ending {
  const waitMs = Math.max(pauseMs, retryMs);
  // `close('cut')` was called by `followStream` itself where no other `close` came first.
  const { reason = 'cut' } = connection;
  if (reason !== 'cut') return { reason, waitMs: 0 };
  return openedAt === undefined && error !== undefined
    ? { reason: 'failed', error, waitMs }
    : { reason, waitMs };
}

async function sleepUnlessRefused(
  { error, waitMs }: Ending,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  if (error !== undefined && !isPassing(error)) throw error;
  if (waitMs > 0) await clock.sleep(waitMs, signal);
}
