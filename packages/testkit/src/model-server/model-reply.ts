/** One answer of the server, with its faults. */
export interface ModelReply {
  readonly text?: string;
  /** The id of the message; `msg_1` when absent. Some clients join messages of one id. */
  readonly id?: string;
  readonly thinking?: string;
  /** A string in `input` is sent unchanged, also when it is invalid JSON. */
  readonly calls?: readonly { readonly name: string; readonly input: unknown; readonly id?: string }[];
  readonly finish?: 'stop' | 'length' | 'refusal';
  readonly usage?: { readonly input: number; readonly output: number; readonly cacheRead?: number };
  /** A status other than 200 sends `error` as the message. */
  readonly status?: number;
  readonly error?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Waits before the first byte. */
  readonly delayMs?: number;
  /** Waits between the pieces of a stream. */
  readonly pieceMs?: number;
  /** Destroys the connection: before the first byte, after the first piece of text, or inside the input of a call. */
  readonly cut?: 'before' | 'text' | 'call';
  /**
   * Ends the body properly, but too early: after the first piece of text, inside the input of a call, or without the
   * stream's last events.
   */
  readonly short?: 'text' | 'call' | 'stop';
  /** Sends no more after the first piece of text, and keeps the connection open. */
  readonly hang?: boolean;
  /** Sent as the body unchanged. */
  readonly raw?: string;
  /**
   * Unusual but valid SSE: lines end in CRLF, no space after the colon, comments between events, or chunks of 1 byte.
   */
  readonly odd?: 'crlf' | 'no-space' | 'comments' | 'bytes';
  /** Sends an error event in the middle of the stream. */
  readonly streamError?: string;
}

/** Splits a text as models stream it: each word with the white space after it. */
export function splitIntoPieces(text: string): string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}

/** The input of a call as JSON text. */
export function formatInput(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input);
}
