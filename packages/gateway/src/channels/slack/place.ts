/** A place is a channel or a direct message, or one of its threads: `CHANNEL:THREAD_TS`. */
export interface SlackPlace {
  readonly channel: string;
  readonly thread?: string;
}

export function readPlace(place: string): SlackPlace {
  const at = place.indexOf(':');
  return at === -1 ? { channel: place } : { channel: place.slice(0, at), thread: place.slice(at + 1) };
}

export function placeOf(channel: string, thread?: string): string {
  return thread === undefined ? channel : `${channel}:${thread}`;
}

/** Whether a channel is a direct message with one person. */
export function isPrivate(channel: string): boolean {
  return channel.startsWith('D');
}
