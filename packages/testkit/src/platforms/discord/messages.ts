import type { FakeCall, FakeReply } from '../fake-server.ts';
import {
  CHANNEL,
  createSnowflake,
  dispatch,
  type FakeAttachment,
  type FakeChannel,
  type FakeFile,
  type FakeMessage,
  type FakeRow,
  type FakeWorld,
  setButtons,
} from './world.ts';

const LONGEST_TEXT = 2_000;
const FILE_BYTES = 10 * 1024 * 1024;
const REQUEST_BYTES = 25 * 1024 * 1024;
const SEND_WINDOW_MS = 5_000;

/** An error answer `{ code, message }`. */
export function refusal(status: number, code: number, message: string, more: object = {}): FakeReply {
  return { status, body: { code, message, ...more } };
}

/** The body of a request: JSON, or a form with `payload_json` and files. */
export interface Posted {
  readonly fields: Record<string, unknown>;
  readonly files: readonly (FakeFile & { readonly name: string })[];
}

export async function readPosted({ headers, body }: FakeCall): Promise<Posted> {
  const type = headers['content-type'] ?? '';
  if (!type.startsWith('multipart/form-data'))
    return { fields: body.length === 0 ? {} : (JSON.parse(body.toString()) as Posted['fields']), files: [] };
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  const files = [];
  for (const [, value] of form)
    if (value instanceof File)
      files.push({
        name: value.name,
        type: value.type,
        bytes: new Uint8Array(await value.arrayBuffer()),
      });
  return { fields: JSON.parse(String(form.get('payload_json') ?? '{}')) as Posted['fields'], files };
}

/** `POST /channels/ID/messages`. */
export function createMessage(world: FakeWorld, channel: FakeChannel, { fields, files }: Posted): FakeReply {
  const refused = placeProblem(channel) ?? bodyProblem(fields, files);
  if (refused !== undefined) return refused;
  const { limited, headers } = takeSend(world, channel);
  if (limited !== undefined) return limited;
  const { nonce } = fields;
  const key = `${channel.id} ${String(nonce)}`;
  const known = fields.enforce_nonce === true ? world.nonces.get(key) : undefined;
  if (known !== undefined && Date.now() - known.at < world.nonceMs)
    return { status: 200, headers, body: known.message };
  const message = addMessage(world, channel, {
    author: world.bot,
    content: String(fields.content ?? '').trim(),
    flags: Number(fields.flags ?? 0),
    components: (fields.components ?? []) as readonly FakeRow[],
    attachments: files.map((file) => keepFile(world, file.name, file)),
    ...(nonce === undefined ? {} : { nonce }),
  });
  if (nonce !== undefined) world.nonces.set(key, { message, at: Date.now() });
  notePings(world, fields);
  channel.archived = false;
  return { status: 200, headers, body: message };
}

/** `PATCH /channels/ID/messages/ID`. */
export function editMessage(
  world: FakeWorld,
  channel: FakeChannel,
  messageId: string,
  { fields, files }: Posted,
): FakeReply {
  const message = channel.messages.find(({ id }) => id === messageId);
  if (message === undefined) return refusal(404, 10_008, 'Unknown Message');
  if (message.author.id !== world.bot.id)
    return refusal(403, 50_005, 'Cannot edit a message authored by another user');
  if (channel.archived) return refusal(400, 50_083, 'Thread is archived');
  const refused = bodyProblem({ content: message.content, ...fields }, files);
  if (refused !== undefined) return refused;
  const { content, components, flags } = fields;
  if (typeof content === 'string') message.content = content.trim();
  if (Array.isArray(components)) setButtons(world, message, components as readonly FakeRow[]);
  if (typeof flags === 'number') message.flags = flags;
  message.edited_timestamp = new Date().toISOString();
  notePings(world, fields);
  dispatch(world, 'MESSAGE_UPDATE', { ...message, ...guildField(channel) });
  return { status: 200, body: message };
}

/** `GET /channels/ID/messages`: newest first; with `after`, the page that follows that id. */
export function listMessages({ messages, hidden }: FakeChannel, query: URLSearchParams): FakeReply {
  if (hidden) return refusal(403, 50_001, 'Missing Access');
  const limit = Number(query.get('limit') ?? 50);
  const after = query.get('after');
  const later = messages.filter(({ id }) => after === null || BigInt(id) > BigInt(after));
  const page = after === null ? later.slice(-limit) : later.slice(0, limit);
  // The nonce is in the event and in the answer to the post alone.
  return { status: 200, body: page.reverse().map(({ nonce: _nonce, ...message }) => message) };
}

/** Adds a message and tells the sessions. */
export function addMessage(
  world: FakeWorld,
  channel: FakeChannel,
  fields: Partial<FakeMessage> & Pick<FakeMessage, 'author' | 'content'>,
): FakeMessage {
  const message: FakeMessage = {
    id: createSnowflake(world),
    channel_id: channel.id,
    type: 0,
    flags: 0,
    mentions: [],
    mention_roles: [],
    attachments: [],
    components: [],
    timestamp: new Date().toISOString(),
    edited_timestamp: null,
    ...fields,
  };
  channel.messages.push(message);
  dispatch(world, 'MESSAGE_CREATE', { ...message, ...guildField(channel), channel_type: channel.type });
  return message;
}

export function keepFile(world: FakeWorld, filename: string, file: FakeFile): FakeAttachment {
  const id = createSnowflake(world);
  const path = `/cdn/${id}/${encodeURIComponent(filename)}`;
  world.files.set(path, file);
  const { length: size } = file.bytes;
  return { id, filename, size, url: `${world.url}${path}?ex=1`, content_type: file.type };
}

function guildField({ guildId }: FakeChannel): { guild_id?: string } {
  return guildId === undefined ? {} : { guild_id: guildId };
}

function placeProblem({ type, locked, hidden }: FakeChannel): FakeReply | undefined {
  if (hidden) return refusal(403, 50_001, 'Missing Access');
  if (type === CHANNEL.forum) return refusal(400, 40_058, 'Cannot send a message in a forum channel');
  return locked ? refusal(403, 160_005, 'This thread is locked') : undefined;
}

function invalid(field: string, code: string, message: string): FakeReply {
  return refusal(400, 50_035, 'Invalid Form Body', { errors: { [field]: { _errors: [{ code, message }] } } });
}

function bodyProblem(fields: Posted['fields'], files: Posted['files']): FakeReply | undefined {
  const content = String(fields.content ?? '');
  if ([...content].length > LONGEST_TEXT)
    return invalid('content', 'BASE_TYPE_MAX_LENGTH', 'Must be 2000 or fewer in length.');
  if (content.trim() === '' && files.length === 0)
    return refusal(400, 50_006, 'Cannot send an empty message');
  if (String(fields.nonce ?? '').length > 25)
    return invalid('nonce', 'NONCE_TYPE_TOO_LONG', 'Nonce is too long.');
  if (files.length > 10) return invalid('files', 'BASE_TYPE_MAX_LENGTH', 'Must be 10 or fewer in length.');
  const sizes = files.map(({ bytes }) => bytes.length);
  if (sizes.some((size) => size > FILE_BYTES)) return refusal(413, 40_005, 'Request entity too large');
  if (sizes.reduce((sum, size) => sum + size, 0) > REQUEST_BYTES)
    return { status: 413, body: '<html>413 Request Entity Too Large</html>' };
  return componentsProblem((fields.components ?? []) as readonly FakeRow[]);
}

function componentsProblem(rows: readonly FakeRow[]): FakeReply | undefined {
  const buttons = rows.flatMap(({ components }) => components);
  const ids = buttons.map(({ custom_id: id }) => id);
  if (rows.length > 5 || rows.some(({ components }) => components.length > 5 || components.length === 0))
    return invalid('components', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 5 in length.');
  if (buttons.some(({ label }) => label.length > 80 || label === ''))
    return invalid('components', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 80 in length.');
  if (ids.some((id) => id.length > 100 || id === ''))
    return invalid('components', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 100 in length.');
  return new Set(ids).size < ids.length
    ? invalid('components', 'COMPONENT_CUSTOM_ID_DUPLICATED', 'Component custom id cannot be duplicated.')
    : undefined;
}

function notePings({ pings }: FakeWorld, { content, allowed_mentions: allowed }: Posted['fields']): void {
  const isForbidden = (allowed as { parse?: unknown[] } | undefined)?.parse?.length === 0;
  if (!isForbidden && /@everyone|@here|<@[!&]?\d+>/.test(String(content))) pings.push(String(content));
}

interface Take {
  readonly limited?: FakeReply;
  readonly headers: Record<string, string>;
}

/** Counts a send against `sendsPerWindow` of the channel. */
function takeSend({ sends, sendsPerWindow }: FakeWorld, { id }: FakeChannel): Take {
  const now = Date.now();
  const recent = (sends.get(id) ?? []).filter((at) => now - at < SEND_WINDOW_MS);
  const resetSecs = ((recent[0] ?? now) + SEND_WINDOW_MS - now) / 1000;
  const bucket = (remaining: number): Record<string, string> => ({
    'x-ratelimit-bucket': 'sends',
    'x-ratelimit-limit': String(sendsPerWindow),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset-after': resetSecs.toFixed(3),
  });
  if (recent.length >= sendsPerWindow) return { limited: tooMany(resetSecs, 'user', bucket(0)), headers: {} };
  sends.set(id, [...recent, now]);
  return { headers: bucket(sendsPerWindow - recent.length - 1) };
}

/** An answer 429 with `retry_after` and the headers of its scope. */
export function tooMany(
  secs: number,
  scope: 'user' | 'shared' | 'global',
  more: Readonly<Record<string, string>> = {},
): FakeReply {
  return {
    status: 429,
    headers: {
      'content-type': 'application/json',
      'retry-after': String(Math.ceil(secs)),
      'x-ratelimit-scope': scope,
      ...(scope === 'global' ? { 'x-ratelimit-global': 'true' } : {}),
      ...more,
    },
    body: { message: 'You are being rate limited.', retry_after: secs, global: scope === 'global' },
  };
}
