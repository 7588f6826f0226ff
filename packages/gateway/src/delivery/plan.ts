import type { Event } from '@plugboard/host';
import type { JsonValue } from '@plugboard/protocol';
import type { NewDelivery, Session } from '@plugboard/store';
import type { Channel, Outgoing } from '../channels/channel.ts';
import { splitText } from './split.ts';

/** Decides what of a session's events must be sent to its people. Pure: the same events give the same deliveries. */
export type Plan = (session: Session, events: readonly Event[]) => readonly NewDelivery[];

/** An answer nobody has got for so long would only confuse. */
const REPLY_EXPIRES_MS = 15 * 60_000;

/** Plans for the channels there are; a session of any other channel is read by whoever wants to. */
export function createPlan(channels: ReadonlyMap<string, Channel>): Plan {
  return (session, events) => {
    const channel = channels.get(session.channel);
    if (channel === undefined || channel.limits.readsLog) return [];
    return events.flatMap((event) => outgoing(event).flatMap((body) => deliveries(channel, session, body)));
  };
}

/** The deliveries that one thing to say makes: as many as the platform needs for it. */
export function deliveries(channel: Channel, session: Pick<Session, 'place'>, body: Outgoing): NewDelivery[] {
  return partsOf(channel, body).map((part) => ({
    channel: channel.name,
    place: session.place,
    body: part as unknown as JsonValue,
    expiresInMs: REPLY_EXPIRES_MS,
  }));
}

/** Files go with the last part, below what is said of them; a channel that takes none has them named. */
function partsOf({ limits }: Channel, body: Outgoing): Outgoing[] {
  const media = limits.media ? body.media : [];
  const names = limits.media ? [] : body.media.map(({ name, url }) => `📎 ${name ?? url ?? 'file'}`);
  const text = [body.text, ...names].filter((line) => line !== '').join('\n');
  const texts = splitText(text, limits.textLength, limits.measure);
  if (texts.length === 0) return media.length === 0 ? [] : [{ ...body, text: '', media }];
  return texts.map((part, index) => ({
    kind: body.kind,
    text: part,
    media: index === texts.length - 1 ? media : [],
  }));
}

function outgoing(event: Event): Outgoing[] {
  if (event.type === 'message') return [{ kind: 'message', text: event.text, media: event.media }];
  if (event.type !== 'end' || event.error === undefined || event.error.told) return [];
  return [{ kind: 'error', text: event.error.message, media: [] }];
}
