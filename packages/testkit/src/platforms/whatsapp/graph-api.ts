import type { FakeCall, FakeReply } from '../fake-server.ts';
import { readAccepted, refuse } from './messages-api.ts';
import type { Webhooks } from './webhooks.ts';
import { ACCOUNT, PHONE, payloadOf, TOKEN, type WhatsappWorld } from './world.ts';

type Answer = (world: WhatsappWorld, webhooks: Webhooks, call: FakeCall) => FakeReply;

/** Carries out a call of the Graph API. `url` is the address of the fake. */
export function answerGraph(
  world: WhatsappWorld,
  webhooks: Webhooks,
  url: () => string,
  call: FakeCall,
): FakeReply {
  if (call.headers.authorization !== `Bearer ${TOKEN}`)
    return refuse(401, 190, 'Invalid OAuth access token - Cannot parse access token');
  const [, id = '', edge = ''] = call.path.split('/');
  if (id === 'files') return sendBytes(world, edge, call);
  if (id === ACCOUNT) return answerAccount(world, webhooks, call);
  if (id === PHONE && edge === '') return describePhone();
  if (id === PHONE && call.method === 'POST' && edge === 'messages')
    return takeMessage(world, webhooks, call);
  if (id === PHONE && call.method === 'POST' && edge === 'media') return takeUpload(world, webhooks, call);
  return describeFile(world, id, url());
}

function describePhone(): FakeReply {
  const named = { display_phone_number: '+1 555-078-3881', verified_name: 'Fake', quality_rating: 'GREEN' };
  return { status: 200, body: { id: PHONE, ...named } };
}

function describeFile({ files, addresses }: WhatsappWorld, id: string, url: string): FakeReply {
  const file = files.get(id);
  if (file === undefined) return refuse(400, 100, 'Unsupported get request', 'The object does not exist');
  const address = `${url}/files/${id}?address=${addresses}`;
  return { status: 200, body: { id, url: address, mime_type: file.mime, file_size: file.bytes.length } };
}

function sendBytes({ files, addresses }: WhatsappWorld, id: string, { query }: FakeCall): FakeReply {
  const file = files.get(id);
  if (file === undefined || query.get('address') !== String(addresses)) return { status: 404, body: 'gone' };
  return { status: 200, headers: { 'content-type': file.mime }, body: file.bytes };
}

const answerAccount: Answer = (world, _webhooks, { method }) => {
  if (method === 'POST') {
    world.isSubscribed = true;
    return { status: 200, body: { success: true } };
  }
  const app = { whatsapp_business_api_data: { id: '67890', name: 'fake app' } };
  return { status: 200, body: { data: world.isSubscribed ? [app] : [] } };
};

const takeUpload: Answer = ({ uploads }, _webhooks, { body }) => {
  const name = /filename="([^"]*)"/.exec(body.toString('latin1'))?.[1];
  if (name === undefined) return refuse(400, 100, 'Invalid parameter', 'file is missing');
  const id = `${9_000 + uploads.size}`;
  uploads.set(id, Buffer.from(name, 'latin1').toString('utf8'));
  return { status: 200, body: { id } };
};

const takeMessage: Answer = (world, webhooks, call) => {
  const message = JSON.parse(call.body.toString()) as Record<string, unknown>;
  if (message.status === 'read') return markRead(world, message);
  const isGroup = message.recipient_type === 'group';
  const to = String(message.to ?? message.recipient ?? '');
  if (!isGroup && !/^(\d{5,15}|[A-Z]{2}\.[A-Za-z0-9.]{1,128})$/.test(to))
    return refuse(400, 131026, 'Message undeliverable');
  if (isGroup && message.type === 'interactive') return refuse(400, 131051, 'Unsupported message type');
  const accepted = readAccepted(message, world.uploads);
  if ('status' in accepted) return accepted;
  const place = isGroup ? `group:${to}` : to;
  if (world.closed.has(place) && !accepted.isTemplate)
    return refuse(400, 131047, 'Re-engagement message', 'More than 24 hours have passed');
  const platformId = world.nextMessageId();
  const { text, files, buttons } = accepted;
  const labels = buttons.map(({ title }) => title);
  world.messages.push({ platformId, text, files, buttons: labels, place, accepted });
  sendStatuses(world, webhooks, { id: platformId, to, delivery: message.biz_opaque_callback_data });
  const contacts = [{ input: to }];
  return { status: 200, body: { messaging_product: 'whatsapp', contacts, messages: [{ id: platformId }] } };
};

function markRead({ inbound, typing }: WhatsappWorld, message: Record<string, unknown>): FakeReply {
  const id = String(message.message_id);
  if (!inbound.has(id)) return refuse(400, 100, 'Invalid parameter', 'message_id');
  if (message.typing_indicator !== undefined) typing.push(id);
  return { status: 200, body: { success: true } };
}

function sendStatuses(
  { statuses }: WhatsappWorld,
  webhooks: Webhooks,
  { id, to, delivery }: { readonly id: string; readonly to: string; readonly delivery: unknown },
): void {
  const data = delivery === undefined ? {} : { biz_opaque_callback_data: delivery };
  for (const status of statuses) {
    const errors = status === 'failed' ? { errors: [{ code: 131047, title: 'Re-engagement message' }] } : {};
    void webhooks.deliver(payloadOf({ statuses: [{ id, status, recipient_id: to, ...data, ...errors }] }));
  }
}
