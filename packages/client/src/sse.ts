/** One message of an event stream. */
export interface SseMessage {
  /** `message` where the stream names none. */
  readonly event: string;
  readonly data: string;
  /** The `id` field of this message itself, not of an earlier one. */
  readonly id: string | null;
}

/** The part of a stream that has been read and is not a message yet. */
export interface SseState {
  readonly decoder: InstanceType<typeof TextDecoder>;
  /** The beginning of a line. */
  rest: string;
  /** The last character was a CR: an LF that follows belongs to it. */
  afterCr: boolean;
  event: string;
  data: string[];
  id: string | null;
  /** The pause before the next connection that the server asked for, in milliseconds. */
  retry: number | null;
}

/** Starts to read an event stream. One state belongs to one connection. */
export function createSse(): SseState {
  // The decoder removes a BOM and keeps the bytes of a character that a chunk cuts.
  const decoder = new TextDecoder();
  return { decoder, rest: '', afterCr: false, event: '', data: [], id: null, retry: null };
}

/** Takes in bytes cut anywhere and returns the messages that are complete. Lines end with LF, CR or both. */
export function pushSse(state: SseState, bytes: Uint8Array): SseMessage[] {
  const text = state.decoder.decode(bytes, { stream: true });
  if (text === '') return [];
  const fresh = state.afterCr && text.startsWith('\n') ? text.slice(1) : text;
  state.afterCr = text.endsWith('\r');
  const [first = '', ...others] = fresh.split(/\r\n|\r|\n/);
  const lines = [state.rest + first, ...others];
  state.rest = lines.pop() ?? '';
  const messages: SseMessage[] = [];
  for (const line of lines) {
    if (line !== '') takeField(state, line);
    else takeMessage(state, messages);
  }
  return messages;
}

function takeField(state: SseState, line: string): void {
  const colon = line.indexOf(':');
  if (colon === 0) return;
  const name = colon === -1 ? line : line.slice(0, colon);
  const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
  if (name === 'event') state.event = value;
  else if (name === 'data') state.data.push(value);
  else if (name === 'id' && !value.includes('\0')) state.id = value;
  else if (name === 'retry' && /^\d+$/.test(value)) state.retry = Number(value);
}

function takeMessage(state: SseState, messages: SseMessage[]): void {
  if (state.data.length > 0) {
    messages.push({ event: state.event || 'message', data: state.data.join('\n'), id: state.id });
  }
  state.event = '';
  state.data = [];
  state.id = null;
}
