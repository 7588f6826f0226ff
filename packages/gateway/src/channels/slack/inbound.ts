import type { Inbound } from '../channel.ts';
import { type Json, listAt, textAt } from './json.ts';
import { isPrivate, placeOf } from './place.ts';
import type { QuestionPlaces } from './questions.ts';
import { readText } from './read-text.ts';

/** A message of a person, read from an event. */
export interface Said {
  readonly message: Omit<Inbound, 'senderName' | 'files'>;
  /** Its files, which are downloaded when the message is taken. */
  readonly files: readonly Json[];
}

export interface EventReader {
  readonly botUser: string;
  /** Whether a message outside of a thread begins a new thread: the place is then `CHANNEL:TS`. */
  readonly startsThreads: boolean;
  readonly questions: QuestionPlaces;
}

/** `thread_broadcast` is a reply that is shown in the channel as well. */
const SUBTYPES: ReadonlySet<unknown> = new Set([undefined, 'file_share', 'thread_broadcast', 'me_message']);

/**
 * Reads the events `message` and `app_mention`, of which Slack sends both for a mention, with the same `ts`. Undefined for
 * edits, deletions, previews of links, notices of Slack, and messages of bots.
 */
export function readMessageEvent(event: Json, reader: EventReader): Said | undefined {
  const [channel, user, ts] = ['channel', 'user', 'ts'].map((name) => textAt(event, name));
  if (channel === undefined || user === undefined || ts === undefined) return undefined;
  if (!SUBTYPES.has(event.subtype) || event.bot_id !== undefined || event.hidden === true) return undefined;
  if (user === reader.botUser || user === 'USLACKBOT') return undefined;
  const where = findPlace(event, { channel, ts }, reader);
  const files = listAt(event, 'files');
  const text = readSaid(event, reader.botUser);
  if (text === '' && files.length === 0 && !isMention(event, reader.botUser)) return undefined;
  return { message: { ...where, messageId: ts, sender: user, text: commandOf(text, files) }, files };
}

/** Reads `agent_session_stopped`: the stop button that Slack shows beside an answer. */
export function readStopEvent(event: Json, eventId: string): Said | undefined {
  const [channel, thread, user] = ['channel', 'thread_ts', 'user'].map((name) => textAt(event, name));
  if (channel === undefined || user === undefined) return undefined;
  const place = placeOf(channel, thread);
  const group = isPrivate(channel) ? {} : { group: { place: channel, addressed: true } };
  return {
    message: { place, ...group, messageId: `stop-${eventId}`, sender: user, text: '/stop' },
    files: [],
  };
}

interface Position {
  readonly channel: string;
  readonly ts: string;
}

function findPlace(
  event: Json,
  { channel, ts }: Position,
  { botUser, startsThreads, questions }: EventReader,
): Pick<Inbound, 'place' | 'group' | 'repliesTo'> {
  const root = textAt(event, 'thread_ts');
  const thread = root === ts ? undefined : root;
  const repliesTo = thread === undefined ? {} : { repliesTo: thread };
  const question = thread === undefined ? undefined : questions.find(channel, thread);
  if (isPrivate(channel)) return { place: question ?? placeOf(channel, thread), ...repliesTo };
  const addressed = question !== undefined || event.parent_user_id === botUser || isMention(event, botUser);
  const own = thread ?? (startsThreads ? ts : undefined);
  return { place: question ?? placeOf(channel, own), group: { place: channel, addressed }, ...repliesTo };
}

function isMention(event: Json, botUser: string): boolean {
  return event.type === 'app_mention' || new RegExp(`<@${botUser}[|>]`).test(textAt(event, 'text') ?? '');
}

/** The `text`, followed by the quoted `attachments` of a forwarded message. */
function readSaid(event: Json, botUser: string): string {
  const shared = listAt(event, 'attachments').flatMap((one) =>
    one.is_share === true || one.is_msg_unfurl === true ? [textAt(one, 'text') ?? ''] : [],
  );
  const quoted = shared
    .filter((text) => text !== '')
    .map((text) => readText(text, botUser).replace(/^/gm, '> '));
  return [readText(textAt(event, 'text') ?? '', botUser).trim(), ...quoted]
    .filter((text) => text !== '')
    .join('\n\n');
}

/**
 * In a thread Slack takes no slash command: `stop` alone is `/stop`. A mention without a text is a greeting.
 */
function commandOf(text: string, files: readonly Json[]): string {
  if (text === '' && files.length === 0) return '/start';
  return /^stop[.!]?$/i.test(text) ? '/stop' : text;
}
