import type { Attachment, Event } from '@plugboard/host';
import type { NewDelivery, Session } from '@plugboard/store';
import type { Channel, ChannelLimits, Outgoing } from '../channels/channel.ts';
import { jsonOf } from './body.ts';
import { splitText } from './split.ts';
import { units } from './text/measure.ts';

/** Decides what of a session's events must be sent to its people. Pure: the same events give the same deliveries. */
export type Plan = (session: Session, events: readonly Event[]) => readonly NewDelivery[];

/** An answer nobody has got for so long would only confuse. */
export const REPLY_EXPIRES_MS = 15 * 60_000;

const MEDIA_PER_MESSAGE = 10;

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
  return partsOf(channel.limits, body).map((part) => ({
    channel: channel.name,
    place: session.place,
    body: jsonOf(part),
    expiresInMs: REPLY_EXPIRES_MS,
  }));
}

/**
 * Files go with the last part, below what is said of them, or after it where there is no room; a channel that takes none has
 * them named. Each part goes out as a whole or not at all, so that after a failure only the rest is sent.
 */
function partsOf(limits: ChannelLimits, body: Outgoing): Outgoing[] {
  const { kind } = body;
  const names = limits.media ? [] : body.media.map(({ name, url }) => `📎 ${name ?? url ?? 'file'}`);
  const text = [body.text, ...names].filter((line) => line !== '').join('\n');
  const texts = splitText(text, limits.textLength, limits.measure);
  const parts = texts.map((part): Outgoing => ({ kind, text: part, media: [] }));
  const [first, ...rest] = limits.media ? groupsOf(body.media, limits.mediaPerMessage) : [];
  if (first === undefined) return parts;
  const caption = texts.at(-1) ?? '';
  const together = (limits.measure ?? units)(caption) <= (limits.captionLength ?? limits.textLength);
  const before = together ? parts.slice(0, -1) : parts;
  const withFiles = { kind, text: together ? caption : '', media: first };
  return [...before, withFiles, ...rest.map((media) => ({ kind, text: '', media }))];
}

function groupsOf(media: readonly Attachment[], most = MEDIA_PER_MESSAGE): Attachment[][] {
  const count = Math.ceil(media.length / most);
  return Array.from({ length: count }, (_, index) => media.slice(index * most, (index + 1) * most));
}

function outgoing(event: Event): Outgoing[] {
  if (event.type === 'message') return [{ kind: 'message', text: event.text, media: event.media }];
  if (event.type !== 'end' || event.error === undefined || event.error.told) return [];
  return [{ kind: 'error', text: event.error.message, media: [] }];
}
