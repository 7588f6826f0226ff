import type { Inbound } from '../channel.ts';
import type { Attached } from './incoming-media.ts';
import { type Fields, fieldsOf, listOf, type MessageEntry, textOf } from './payload.ts';

/** One entry of `messages` in a webhook, as the channel handles it. */
export type Incoming =
  | { readonly type: 'message'; readonly message: Inbound; readonly media: readonly Attached[] }
  | {
      readonly type: 'press';
      readonly place: string;
      readonly sender: string;
      readonly senderName?: string;
      readonly key: string;
      readonly messageId: string;
    }
  /** The person has a new id, for the same conversation. */
  | { readonly type: 'renamed'; readonly from: string; readonly to: string }
  | { readonly type: 'ignored' };

const GROUP = 'group:';

/** The group of a place, where it is one. */
export function groupOf(place: string): string | undefined {
  return place.startsWith(GROUP) ? place.slice(GROUP.length) : undefined;
}

const IGNORED: Incoming = { type: 'ignored' };

/** Kinds of messages that carry a file. */
const MEDIA = new Set(['image', 'video', 'audio', 'document', 'sticker']);

/**
 * Reads one message. The sender is the business-scoped user id where there is one, because people may hide their number;
 * else it is the number.
 */
export function readMessage({ message, contact, ownNumber }: MessageEntry): Incoming {
  const { id, type, from } = message;
  if (type === 'system') return readSystem(message);
  const sender = textOf(message.from_user_id) ?? textOf(contact?.user_id) ?? textOf(from);
  if (typeof id !== 'string' || sender === undefined || type === 'reaction') return IGNORED;
  const place = placeOf(message, sender);
  const senderName = textOf(fieldsOf(contact?.profile).name);
  const named = { place, sender, ...(senderName === undefined ? {} : { senderName }) };
  const key = pressedKey(message);
  if (key !== undefined) return { type: 'press', ...named, key, messageId: id };
  const repliesTo = textOf(fieldsOf(message.context).id);
  const inbound: Inbound = {
    ...named,
    messageId: id,
    text: textIn(message),
    ...(repliesTo === undefined ? {} : { repliesTo }),
    ...(groupOf(place) === undefined ? {} : { group: { place, addressed: isAddressed(message, ownNumber) } }),
  };
  return { type: 'message', message: inbound, media: mediaIn(message) };
}

function placeOf({ group_id: group }: Fields, sender: string): string {
  const id = textOf(group);
  return id === undefined ? sender : `${GROUP}${id}`;
}

/** A reply to a message of this number, a command, or a mention of it. */
function isAddressed(message: Fields, ownNumber: string): boolean {
  const text = textIn(message);
  if (text.startsWith('/')) return true;
  const { from } = fieldsOf(message.context);
  return ownNumber !== '' && (text.includes(`@${ownNumber}`) || from === ownNumber);
}

/** The key of a button or of a row in a list; the payload of a button in a template. */
function pressedKey({ type, interactive, button }: Fields): string | undefined {
  if (type === 'button') return textOf(fieldsOf(button).payload);
  if (type !== 'interactive') return undefined;
  const { button_reply: pressed, list_reply: chosen } = fieldsOf(interactive);
  return textOf(fieldsOf(pressed).id) ?? textOf(fieldsOf(chosen).id);
}

/** A change of the number makes a new user id, too. */
function readSystem({ system }: Fields): Incoming {
  const { type, previous_user_id: previous, user_id: now } = fieldsOf(system);
  const isRenamed = type === 'user_changed_number' || type === 'user_changed_user_id';
  const [from, to] = [textOf(previous), textOf(now)];
  return isRenamed && from !== undefined && to !== undefined ? { type: 'renamed', from, to } : IGNORED;
}

function textIn(message: Fields): string {
  const { type } = message;
  if (type === 'text') return textOf(fieldsOf(message.text).body) ?? '';
  if (typeof type === 'string' && MEDIA.has(type)) return textOf(fieldsOf(message[type]).caption) ?? '';
  if (type === 'location') return locationText(fieldsOf(message.location));
  if (type === 'contacts') return listOf(message.contacts).map(contactText).join('\n');
  return `[A message of the kind "${String(type).slice(0, 40)}", which WhatsApp does not hand on in full.]`;
}

function locationText({ name, address, latitude, longitude }: Fields): string {
  const words = [textOf(name), textOf(address), `${String(latitude)}, ${String(longitude)}`];
  return `📍 ${words.filter((one) => one !== undefined).join(', ')}`;
}

function contactText({ name, phones }: Fields): string {
  const numbers = listOf(phones).flatMap(({ phone }) => textOf(phone) ?? []);
  return `👤 ${[textOf(fieldsOf(name).formatted_name), ...numbers].filter((one) => one !== undefined).join(', ')}`;
}

function mediaIn(message: Fields): Attached[] {
  const { type } = message;
  if (typeof type !== 'string' || !MEDIA.has(type)) return [];
  const { id, filename, mime_type: mime } = fieldsOf(message[type]);
  if (typeof id !== 'string') return [];
  const isVoice = type === 'audio' && fieldsOf(message.audio).voice === true;
  return [{ id, name: textOf(filename), type: textOf(mime), kind: isVoice ? 'voice message' : type }];
}
