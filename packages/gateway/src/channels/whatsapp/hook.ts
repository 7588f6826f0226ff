import { createHmac, timingSafeEqual } from 'node:crypto';
import { reasonOf } from '@plugboard/protocol';
import type { HookReply, HookRequest, Ingress } from '../channel.ts';
import type { ChannelGiven } from '../kind.ts';
import type { Graph } from './graph.ts';
import { type Incoming, readMessage } from './inbound.ts';
import { openMedia } from './incoming-media.ts';
import { addressOf } from './outbound.ts';
import { type MessageEntry, readPayload, type Status, textOf } from './payload.ts';
import type { WhatsappSettings } from './settings.ts';

const MOST_REMEMBERED = 10_000;

/** State of one channel, in memory alone. */
export interface State {
  readonly given: ChannelGiven<WhatsappSettings>;
  readonly graph: Graph;
  /** The last message of each place: the typing sign is an answer to it. */
  readonly lastMessages: Map<string, string>;
  /** Messages that are being kept: a second delivery of one waits for the first. */
  readonly underWay: Map<string, Promise<void>>;
  /** Presses that were answered, because the platform delivers some twice. */
  readonly answeredPresses: Map<string, true>;
}

/** Meta asks once, when the webhook is set up. */
export function answerChallenge(
  { verify_token: token }: WhatsappSettings,
  { query }: HookRequest,
): HookReply {
  const isOurs = isSame(query.get('hub.verify_token') ?? '', token.reveal());
  if (query.get('hub.mode') !== 'subscribe' || !isOurs)
    return { status: 403, body: 'The verify token is another one.' };
  return { status: 200, body: (query.get('hub.challenge') ?? '').slice(0, 1_000) };
}

/** Takes a signed webhook; 200 only when everything in it is kept. */
export async function takeHook(
  state: State,
  ingress: Ingress,
  { headers, body }: HookRequest,
): Promise<HookReply> {
  const { settings } = state.given;
  const signature = headers['x-hub-signature-256'];
  const wanted = createHmac('sha256', settings.app_secret.reveal()).update(body).digest('hex');
  if (typeof signature !== 'string' || !isSame(signature, `sha256=${wanted}`))
    return { status: 401, body: 'The signature does not fit.' };
  const payload = readPayload(body, settings.phone_number_id);
  if (payload === undefined) return { status: 400, body: 'This is no webhook of WhatsApp.' };
  try {
    for (const status of payload.statuses) await takeStatus(ingress, status);
    // In order: the first that cannot be kept ends it, and the platform delivers all again.
    for (const entry of payload.messages) await takeEntry(state, ingress, entry);
  } catch (error) {
    state.given.log.warn(`A webhook of WhatsApp was not taken, and will come again: ${reasonOf(error)}`, {
      code: 'channel-receive-failed',
      channel: state.given.name,
    });
    return { status: 503 };
  }
  return { status: 200 };
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/**
 * Any status proves that the platform has the message; a later `failed` says that it will not arrive. A status can come
 * before the answer to the call that sent the message.
 */
async function takeStatus(ingress: Ingress, { state, platformId, delivery, problem }: Status): Promise<void> {
  await ingress.report(delivery, state === 'failed' ? { state, problem } : { state: 'sent', platformId });
}

function takeEntry(state: State, ingress: Ingress, entry: MessageEntry): Promise<void> {
  const id = textOf(entry.message.id) ?? '';
  const running = state.underWay.get(id);
  if (running !== undefined) return running;
  const taking = takeMessage(state, ingress, entry).finally(() => state.underWay.delete(id));
  state.underWay.set(id, taking);
  return taking;
}

async function takeMessage(state: State, ingress: Ingress, entry: MessageEntry): Promise<void> {
  const { graph, given } = state;
  const { phone_number_id: phone } = given.settings;
  const incoming = readMessage(entry);
  if (incoming.type === 'ignored') return;
  if (incoming.type === 'renamed') {
    await ingress.renameSender(incoming.from, incoming.to);
    return ingress.movePlace(incoming.from, incoming.to);
  }
  if (incoming.type === 'press') return answerPress(state, ingress, incoming);
  const { message, media } = incoming;
  remember(state.lastMessages, message.place, message.messageId);
  const files = media.map((attached) => openMedia(graph, attached, phone, given.mediaBytes));
  await ingress.receive(files.length === 0 ? message : { ...message, files });
}

/** A press that is not accepted is answered with the reason: the buttons of old questions stay on this platform. */
async function answerPress(
  { graph, given, answeredPresses }: State,
  ingress: Ingress,
  press: Extract<Incoming, { readonly type: 'press' }>,
): Promise<void> {
  if (answeredPresses.has(press.messageId)) return;
  const { type: _type, messageId, ...pressed } = press;
  const { accepted, message } = await ingress.press(pressed);
  remember(answeredPresses, messageId, true);
  if (accepted) return;
  const reply = {
    messaging_product: 'whatsapp',
    ...addressOf(press.place),
    context: { message_id: messageId },
    type: 'text',
    text: { body: message, preview_url: false },
  };
  await graph.post(`${given.settings.phone_number_id}/messages`, reply).catch((error: unknown) =>
    given.log.warn(`A press could not be answered: ${reasonOf(error)}`, {
      code: 'interaction-not-answered',
      channel: given.name,
    }),
  );
}

/** Keeps the newest `MOST_REMEMBERED` keys. */
function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= MOST_REMEMBERED) break;
    map.delete(oldest);
  }
}
