import {
  type Channel,
  type Ingress,
  type Outgoing,
  type SendContext,
  SendError,
  type Sent,
} from '../channel.ts';
import type { ChannelGiven, Proof } from '../kind.ts';
import { createGraph, type Graph, GraphRefusal } from './graph.ts';
import { answerChallenge, type State, takeHook } from './hook.ts';
import { groupOf } from './inbound.ts';
import { addressOf, CAPTION_LENGTH, contentOf, MOST_ROWS, TEXT_LENGTH } from './outbound.ts';
import { type Fields, fieldsOf, listOf, textOf } from './payload.ts';
import { WINDOW_CLOSED } from './problem.ts';
import type { WhatsappSettings } from './settings.ts';

/** Most messages of one answer; see `ChannelLimits.longestAnswer`. */
const LONGEST_ANSWER = 10;

/** The typing sign lasts 25 s. */
const TYPING_MS = 20_000;
/** Longest text of the variable in a template. */
const TEMPLATE_TEXT = 900;

/** A channel over the Cloud API: messages come in by signed webhooks, and go out one call each. */
export function create(given: ChannelGiven<WhatsappSettings>): Channel {
  const { name, settings, progress } = given;
  const state: State = {
    given,
    graph: createGraph(settings),
    lastMessages: new Map(),
    underWay: new Map(),
    answeredPresses: new Map(),
  };
  let ingress: Ingress | undefined;
  return {
    name,
    limits: {
      readsLog: false,
      textLength: TEXT_LENGTH,
      captionLength: CAPTION_LENGTH,
      media: true,
      mediaPerMessage: 1,
      longestAnswer: LONGEST_ANSWER,
      buttons: MOST_ROWS,
      progress,
      typingIntervalMs: TYPING_MS,
    },
    async start(started) {
      await connect(state.graph, settings);
      ingress = started;
    },
    send: (place, body, delivery) => sendMessage(state, place, body, delivery),
    typing: (place) => showTyping(state, place),
    async stop() {
      ingress = undefined;
    },
    async receiveHook(request) {
      if (request.method === 'GET') return answerChallenge(settings, request);
      return ingress === undefined ? { status: 503 } : takeHook(state, ingress, request);
    },
  };
}

/** Asks for the phone number, and subscribes the app to the webhooks of the account. */
async function connect(graph: Graph, settings: WhatsappSettings): Promise<void> {
  const { phone_number_id: phone, business_account: account } = settings;
  try {
    await graph.get(`${phone}?fields=display_phone_number`);
    if (account !== undefined) await graph.post(`${account}/subscribed_apps`, {});
  } catch (error) {
    // Every refusal of these calls is one of the settings.
    if (error instanceof GraphRefusal && error.problem === 'never')
      throw new SendError('never', error.message, { stopsChannel: true });
    throw error;
  }
}

async function sendMessage(
  { graph, given: { settings } }: State,
  place: string,
  body: Outgoing,
  { id, signal }: SendContext,
): Promise<Sent> {
  const post = async (content: object): Promise<Sent> => {
    const message = {
      messaging_product: 'whatsapp',
      ...addressOf(place),
      ...content,
      // Comes back with each status of the message.
      biz_opaque_callback_data: id,
    };
    const answer = await graph.post(`${settings.phone_number_id}/messages`, message, signal);
    const platformId = textOf(listOf(answer.messages)[0]?.id);
    return platformId === undefined ? {} : { platformId };
  };
  try {
    return await post(await contentOf(graph, place, body, signal));
  } catch (error) {
    const template = templateFor(settings, body);
    const isClosed = error instanceof GraphRefusal && error.error?.code === WINDOW_CLOSED;
    if (!isClosed || template === undefined) throw error;
    return post(template);
  }
}

/** The text in the variable of the template, which holds no line feeds. Files are named. */
function templateFor(
  { template, template_language: language }: WhatsappSettings,
  { text, media }: Outgoing,
): object | undefined {
  if (template === undefined) return undefined;
  const names = media.map(({ name }) => `📎 ${name ?? 'file'}`);
  const line = [text, ...names].join(' ').replaceAll(/\s+/g, ' ').trim();
  const cut = line.length <= TEMPLATE_TEXT ? line : `${line.slice(0, TEMPLATE_TEXT - 1).toWellFormed()}…`;
  const components = [{ type: 'body', parameters: [{ type: 'text', text: cut }] }];
  return { type: 'template', template: { name: template, language: { code: language }, components } };
}

/** The platform shows the sign beside a message of the person, which is then marked as read. Groups have none. */
async function showTyping({ graph, given, lastMessages }: State, place: string): Promise<void> {
  const messageId = lastMessages.get(place);
  if (messageId === undefined || groupOf(place) !== undefined) return;
  await graph.post(`${given.settings.phone_number_id}/messages`, {
    messaging_product: 'whatsapp',
    status: 'read',
    message_id: messageId,
    typing_indicator: { type: 'text' },
  });
}

/** Asks for the number and its state, and whether the app gets the webhooks of the account. */
export async function prove({ settings }: Pick<ChannelGiven<WhatsappSettings>, 'settings'>): Promise<Proof> {
  const { phone_number_id: phone, business_account: account } = settings;
  const graph = createGraph(settings);
  const found = await graph.get(`${phone}?fields=display_phone_number,verified_name,quality_rating`);
  const number = textOf(found.display_phone_number) ?? phone;
  const remarks = [...qualityRemarks(found), ...(await webhookRemarks(graph, account))];
  return {
    name: textOf(found.verified_name) ?? number,
    link: (code) => {
      const digits = number.replaceAll(/\D/g, '');
      return `https://wa.me/${digits}${code === undefined ? '' : `?text=${encodeURIComponent(code)}`}`;
    },
    remarks,
  };
}

function qualityRemarks({ quality_rating: quality }: Fields): string[] {
  return quality === 'RED'
    ? ['People have blocked or reported this number often: its quality rating is RED, and Meta may limit it.']
    : [];
}

async function webhookRemarks(graph: Graph, account: string | undefined): Promise<string[]> {
  if (account === undefined) return [];
  const { data } = await graph.get(`${account}/subscribed_apps`);
  const isSubscribed = listOf(data).some(
    (app) => textOf(fieldsOf(app.whatsapp_business_api_data).id) !== undefined,
  );
  return isSubscribed
    ? []
    : ['No app gets the webhooks of this account yet: the gateway subscribes when the channel starts.'];
}
