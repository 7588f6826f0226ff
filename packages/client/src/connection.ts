import type { Clock } from './clock.ts';

const LOOK_EVERY_MS = 5_000;

/** Why a connection was closed from this side: `silent` by `silenceMs`, `released` and `cut` by a caller of `close`. */
export type CloseReason = 'silent' | 'released' | 'cut';

/** One connection of `followStream`, for a reader that knows more about it: a page that is hidden, a network that is gone. */
export interface Connection {
  /** Aborted by `close`, by `silenceMs` and by the end of following. */
  readonly signal: AbortSignal;
  /** Milliseconds since the last byte, counted only while a read is pending. The gateway sends a comment every 15 s. */
  silentMs(): number;
  /** Ends the connection. `released`: the next one is opened without a pause. `cut`: like a broken network. */
  close(reason: Exclude<CloseReason, 'silent'>): void;
}

/** A connection with the side that reads from it. */
export interface OpenConnection extends Connection {
  /** Set by the first `close`. */
  readonly reason: CloseReason | undefined;
  /** The chunks of a body until it ends, breaks or the connection is closed. */
  read(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array>;
}

/** Opens the account of a connection: after `silenceMs` without a byte it is closed. */
export function createConnection(outer: AbortSignal, clock: Clock, silenceMs: number): OpenConnection {
  const controller = new AbortController();
  const { signal } = controller;
  let reason: CloseReason | undefined;
  // Time that the consumer takes between two reads is no silence of the gateway.
  let listening: number | undefined = clock.now();
  const close = (why: CloseReason): void => {
    reason ??= why;
    outer.removeEventListener('abort', leave);
    controller.abort();
  };
  const leave = (): void => close('released');
  outer.addEventListener('abort', leave);
  if (outer.aborted) leave();
  const silentMs = (): number => (listening === undefined ? 0 : clock.now() - listening);
  void watchSilence();
  async function watchSilence(): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep(Math.min(LOOK_EVERY_MS, silenceMs), signal);
      if (silentMs() >= silenceMs) close('silent');
    }
  }
  async function* read(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
    const reader = body.getReader();
    // An injected fetch may not pass the signal on to the body.
    signal.addEventListener('abort', () => void reader.cancel().catch(() => {}));
    for (;;) {
      listening = clock.now();
      const { done, value } = await reader.read();
      listening = undefined;
      if (done || signal.aborted) return;
      yield value;
    }
  }
  return {
    signal,
    silentMs,
    close,
    read,
    get reason() {
      return reason;
    },
  };
}
