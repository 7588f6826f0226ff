import type { Attachment, Event } from '@plugboard/host';
import type { Delivery, NewDelivery, Session } from '@plugboard/store';
import { questionMessage } from '../asks/question-text.ts';
import type { Channel, ChannelLimits, Outgoing } from '../channels/channel.ts';
import { type Body, jsonOf } from './body.ts';
import { headOf, splitAtMost } from './split.ts';
import { units } from './text/measure.ts';

/** Selects the events of a session that are sent through the outbox. Pure: the same events give the same deliveries. */
export type Plan = (session: Session, events: readonly (Event | Silence)[]) => readonly NewDelivery[];

/** A turn for a message has ended well, and none of its events was an answer: without a word the person waits for ever. */
interface Silence {
  readonly type: 'silence';
}

const SILENT = 'The agent ended without an answer.';

/** Whether an event is an answer to a person: `planDeliveries` makes no delivery of an empty message. */
export function isAnswer(
  event: Pick<Event, 'type'> & { text?: string; media?: readonly unknown[] },
): boolean {
  return event.type === 'message' && (event.text?.trim() !== '' || (event.media ?? []).length > 0);
}

/** Expiry of an answer: a later one would confuse the user. */
export const REPLY_EXPIRES_MS = 15 * 60_000;

/** When a delivery was created: all of them expire after the same time. */
export function createdAtOf({ expiresAt }: Pick<Delivery, 'expiresAt'>): number {
  return expiresAt - REPLY_EXPIRES_MS;
}

const MEDIA_PER_MESSAGE = 10;

/** Plans for the given channels. A session of an unknown channel gets no deliveries. */
export function createPlan(channels: ReadonlyMap<string, Channel>): Plan {
  return (session, events) => {
    const channel = channels.get(session.channel);
    if (channel === undefined || channel.limits.readsLog) return [];
    return events.flatMap((event) => planEvent(channel, session, event));
  };
}

function planEvent(channel: Channel, session: Pick<Session, 'place'>, event: Event | Silence): NewDelivery[] {
  const { name, limits } = channel;
  const question = (body: Body): NewDelivery[] => [
    { channel: name, place: session.place, body: jsonOf(body), expiresInMs: REPLY_EXPIRES_MS },
  ];
  if (event.type === 'ask')
    return question({ ...questionMessage(event.id, event.question, limits), ask: event.id });
  if (event.type === 'ask-ended')
    return question({ kind: 'question', text: '', media: [], ask: event.id, ended: true });
  if (event.type === 'progress' && limits.progress === 'message' && event.text.trim() !== '')
    return planDeliveries(channel, session, { kind: 'progress', text: `⏳ ${event.text}`, media: [] });
  return outgoingOf(event).flatMap((body) => planDeliveries(channel, session, body));
}

/** Deliveries for one message, split by the limits of the channel. */
export function planDeliveries(
  channel: Channel,
  session: Pick<Session, 'place'>,
  body: Outgoing,
): NewDelivery[] {
  return partsOf(channel.limits, body).map(
    (part): NewDelivery => ({
      channel: channel.name,
      place: session.place,
      body: jsonOf(part),
      expiresInMs: REPLY_EXPIRES_MS,
    }),
  );
}

/**
 * Attaches files to the last part if `captionLength` allows, otherwise to a further part; a channel without `media`
 * gets their names as text. Each part is one delivery, so that after a failure only the rest is retried.
 */
function partsOf(limits: ChannelLimits, body: Outgoing): Body[] {
  const { kind } = body;
  const names = limits.media ? [] : body.media.map(({ name, url }) => `📎 ${name ?? url ?? 'file'}`);
  const text = [body.text, ...names].filter((line) => line !== '').join('\n');
  const texts = splitAtMost(text, limits.textLength, mostTexts(limits), limits.measure);
  const groups = limits.media ? groupsOf(body.media, limits) : [];
  if (texts === undefined)
    return [...asTextFile(limits, { kind, text }), ...groups.map((media) => ({ kind, text: '', media }))];
  const parts = texts.map((part): Outgoing => ({ kind, text: part, media: [] }));
  const [first, ...rest] = groups;
  if (first === undefined) return parts;
  const caption = texts.at(-1) ?? '';
  const together = (limits.measure ?? units)(caption) <= (limits.captionLength ?? limits.textLength);
  const before = together ? parts.slice(0, -1) : parts;
  const withFiles = { kind, text: together ? caption : '', media: first };
  return [...before, withFiles, ...rest.map((media) => ({ kind, text: '', media }))];
}

function mostTexts({ media, longestAnswer = Infinity }: ChannelLimits): number {
  return media ? Math.max(1, longestAnswer) : Infinity;
}

const FILE_FOLLOWS = '\n\n📄 The whole text is in the file.';

/** The beginning of a text and a delivery with a file of the whole text, so that a preview can be replaced by the beginning. */
function asTextFile(
  { textLength, measure = units }: ChannelLimits,
  { kind, text }: Pick<Outgoing, 'kind' | 'text'>,
): Body[] {
  const beginning = headOf(text, textLength - measure(FILE_FOLLOWS), measure);
  return [
    { kind, text: `${beginning}${FILE_FOLLOWS}`, media: [] },
    { kind, text: '', media: [], textFile: text },
  ];
}

/** Neighbours that may share a message, in groups of at most `mediaPerMessage`; any other file alone. */
function groupsOf(
  media: readonly Attachment[],
  { mediaPerMessage: most = MEDIA_PER_MESSAGE, isAlbumFile = () => true }: ChannelLimits,
): Attachment[][] {
  const groups: Attachment[][] = [];
  let album: Attachment[] | undefined;
  for (const file of media) {
    const shares = isAlbumFile(file);
    if (shares && album !== undefined && album.length < most) album.push(file);
    else {
      const group = [file];
      groups.push(group);
      album = shares ? group : undefined;
    }
  }
  return groups;
}

function outgoingOf(event: Event | Silence): Outgoing[] {
  if (event.type === 'silence') return [{ kind: 'notice', text: SILENT, media: [] }];
  if (event.type === 'message') return [{ kind: 'message', text: event.text, media: event.media }];
  if (event.type !== 'end' || event.error === undefined || event.error.told) return [];
  return [{ kind: 'error', text: event.error.message, media: [] }];
}
