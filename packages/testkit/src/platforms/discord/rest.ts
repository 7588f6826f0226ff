import type { FakeCall, FakeReply } from '../fake-server.ts';
import { answerInteraction, followUp } from './interactions.ts';
import { createMessage, editMessage, listMessages, readPosted, refusal } from './messages.ts';
import { type FakeWorld, showChannel } from './world.ts';

const UNAUTHORIZED: FakeReply = { status: 401, body: { message: '401: Unauthorized', code: 0 } };

const CONTENT_LIMITED = 1 << 19;

/** The REST API, version 10, and the files of the CDN. */
export async function answerCall(world: FakeWorld, call: FakeCall): Promise<FakeReply> {
  const { path, headers } = call;
  if (path.startsWith('/cdn/')) return fileReply(world, path);
  if (!path.startsWith('/api/v10/')) return { status: 404, body: '<html>404</html>' };
  const parts = path.slice('/api/v10/'.length).split('/').map(decodeURIComponent);
  if (parts[0] === 'interactions' && parts[3] === 'callback')
    return answerInteraction(world, parts[1] ?? '', parts[2] ?? '', (await readPosted(call)).fields);
  if (parts[0] === 'webhooks')
    return followUp(world, parts[2] ?? '', (await readPosted(call)).fields, call.method);
  if (headers.authorization !== `Bot ${world.token}`) return UNAUTHORIZED;
  if (parts[0] === 'channels') return answerChannel(world, call, parts);
  return answerAbout(world, call, parts.join('/'));
}

function fileReply({ files }: FakeWorld, path: string): FakeReply {
  const file = files.get(path);
  if (file === undefined) return { status: 404, body: 'This content is no longer available.' };
  return { status: 200, headers: { 'content-type': file.type }, body: file.bytes };
}

async function answerChannel(world: FakeWorld, call: FakeCall, parts: readonly string[]): Promise<FakeReply> {
  const [, id = '', what, messageId] = parts;
  const channel = world.channels.get(id);
  if (channel === undefined) return refusal(404, 10_003, 'Unknown Channel');
  if (what === undefined) return { status: 200, body: showChannel(world, channel) };
  if (what === 'typing') {
    world.typings.push(id);
    return { status: 204 };
  }
  if (what !== 'messages') return refusal(404, 0, '404: Not Found');
  if (call.method === 'GET') return listMessages(channel, call.query);
  const posted = await readPosted(call);
  return messageId === undefined
    ? createMessage(world, channel, posted)
    : editMessage(world, channel, messageId, posted);
}

async function answerAbout(world: FakeWorld, call: FakeCall, path: string): Promise<FakeReply> {
  const { bot, applicationId, contentIntent, guild, remainingIdentifies: remaining } = world;
  if (path === 'users/@me') return { status: 200, body: bot };
  if (path === 'users/@me/guilds')
    return { status: 200, body: world.isInServer ? [{ id: guild.id, name: 'Workshop' }] : [] };
  if (path === 'applications/@me')
    return { status: 200, body: { id: applicationId, flags: contentIntent ? CONTENT_LIMITED : 0, bot } };
  if (path === 'gateway/bot') {
    const limit = { total: 1_000, remaining, reset_after: 2_000, max_concurrency: 1 };
    const url = world.url.replace('http', 'ws');
    return { status: 200, body: { url, shards: 1, session_start_limit: limit } };
  }
  if (path === `guilds/${guild.id}/roles`)
    return { status: 200, body: [{ id: guild.roleId, name: 'plugboard', tags: { bot_id: bot.id } }] };
  if (path === `applications/${applicationId}/commands` && call.method === 'PUT') {
    world.commands = JSON.parse(call.body.toString()) as unknown[];
    return { status: 200, body: world.commands };
  }
  return refusal(404, 0, '404: Not Found');
}
