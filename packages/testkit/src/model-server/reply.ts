/** One answer of the server, and everything that can go wrong with it. */
export interface ModelReply {
  readonly text?: string;
  readonly thinking?: string;
  /** Input given as text goes out as it is, also when it is no JSON. */
  readonly calls?: readonly { readonly name: string; readonly input: unknown; readonly id?: string }[];
  readonly finish?: 'stop' | 'length' | 'refusal';
  readonly usage?: { readonly input: number; readonly output: number; readonly cacheRead?: number };
  /** Anything but 200 is an error, with this text. */
  readonly status?: number;
  readonly error?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Waits before the first byte. */
  readonly delayMs?: number;
  /** Waits between the pieces of a stream. */
  readonly pieceMs?: number;
  /** The connection is broken off: before the first byte, after some of the text, or inside the input of a call. */
  readonly cut?: 'before' | 'text' | 'call';
  /** The body ends well, but after some of the text, inside the input of a call, or without the stream's last events. */
  readonly short?: 'text' | 'call' | 'stop';
  /** After the first piece of text nothing more comes, and the connection stays open. */
  readonly hang?: boolean;
  /** Sent as the body, whatever it is. */
  readonly raw?: string;
  /** How a stream is written: lines end in CR LF, no space after the colon, comments in between, tiny chunks. */
  readonly odd?: 'crlf' | 'no-space' | 'comments' | 'bytes';
  /** An error in the middle of a stream. */
  readonly streamError?: string;
}

/** A text in pieces, as models give it: each word with what follows it. */
export function pieces(text: string): string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}

/** The input of a call as the wire has it. */
export function inputText(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input);
}
