/** One message of an event stream. */
export interface SseMessage {
  readonly event: string;
  readonly data: string;
  readonly id: string | null;
}

/** What has been read of a stream and not yet become a message. */
export interface SseState {
  rest: string;
  /** The last character was a CR: an LF that follows belongs to it. */
  afterCr: boolean;
  event: string;
  data: string[];
  id: string | null;
  /** How long the server asks to wait before the next try, in milliseconds. */
  retry: number | null;
}

export function createSse(): SseState {
  return { rest: '', afterCr: false, event: '', data: [], id: null, retry: null };
}

/** Takes in text cut anywhere and gives the messages that are complete. Lines end with LF, CR or both. */
export function pushSse(state: SseState, text: string): SseMessage[] {
  if (text === '') return [];
  const fresh = state.afterCr && text.startsWith('\n') ? text.slice(1) : text;
  state.afterCr = text.endsWith('\r');
  const lines = (state.rest + fresh).split(/\r\n|\r|\n/);
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
