/** One message as a browser would hear it. */
export interface Heard {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/** Reads an event stream by the letter of the standard: CR, LF and both end a line, and unknown fields are passed over. */
export function hear(text: string): Heard[] {
  const heard: Heard[] = [];
  let [event, data, id] = ['', '', ''];
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (line === '') {
      if (data !== '') heard.push({ event: event === '' ? 'message' : event, id, data: data.slice(0, -1) });
      [event, data] = ['', ''];
      continue;
    }
    const at = line.indexOf(':');
    const name = at === -1 ? line : line.slice(0, at);
    const value = at === -1 ? '' : line.slice(at + 1).replace(/^ /, '');
    if (name === 'event') event = value;
    if (name === 'data') data += `${value}\n`;
    if (name === 'id' && !value.includes('\0')) id = value;
  }
  return heard;
}
