import type { End, Event, JsonObject, Permission, Turn } from '@plugboard/protocol';

/** What the front of a bridge offers while it waits for an answer; the SDK's `TurnIO` is one. */
export interface Front {
  readonly signal: AbortSignal;
  readonly steering: {
    readonly waiting: number;
    handOver(): Turn | undefined;
    onMessage(listener: () => void): () => void;
  };
  emit(event: Event): Promise<void>;
  /** Asks the host of the front whether a tool may be used. */
  permission?(tool: string, input: JsonObject): Promise<Permission>;
}

/** What the front has said by itself before an agent was asked, or says in its own words. */
const FRONT_SAYS: ReadonlySet<Event['type']> = new Set(['ready', 'accepted', 'queued']);

/** Passes on what is said, up to the end, which is returned: more may have to be said before it. `said` keeps messages. */
export async function passOn(
  run: AsyncIterable<Event>,
  front: Front,
  said?: string[],
): Promise<End | undefined> {
  let end: End | undefined;
  for await (const event of run) {
    if (event.type === 'message') said?.push(event.text);
    if (event.type === 'end') end = event;
    else if (!FRONT_SAYS.has(event.type)) await front.emit(event);
  }
  return end;
}
