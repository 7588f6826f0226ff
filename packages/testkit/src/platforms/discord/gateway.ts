import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { createSnowflake, dispatchTo, type FakeSession, type FakeWorld, showChannel } from './world.ts';

/** The gateway of Discord, version 10, with JSON and without compression. */
export interface FakeGateway {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Closes all connections with a code. */
  close(code: number): void;
  /** Breaks all connections without a close frame: clients see 1006. */
  cut(): void;
  /** Op 7: asks all clients to connect again. */
  reconnect(): void;
  /** Op 9. Sessions that cannot be resumed are forgotten. */
  invalidate(resumable: boolean): void;
  /** Asks all clients for a heartbeat, which carries the sequence that they have kept. */
  askHeartbeat(): void;
  /** Sends a frame unchanged to all clients. */
  sendFrame(frame: string): void;
  /** Stops reading: heartbeats and close frames stay unanswered. */
  deafen(): void;
  readonly connections: number;
}

interface Payload {
  readonly op: number;
  readonly d: unknown;
}

const ALLOWED_WITHOUT_CONTENT = ~32_768;

export function createFakeGateway(world: FakeWorld): FakeGateway {
  const server = new WebSocketServer({ noServer: true });
  const each = (act: (socket: WebSocket) => void): void => {
    for (const socket of server.clients) act(socket);
  };
  server.on('connection', (socket) => {
    socket.on('message', (data) => take(world, socket, JSON.parse(String(data)) as Payload));
    socket.on('close', (code) => leaveSession(world, socket, code));
    socket.on('error', () => {});
    if (!world.silent) socket.send(JSON.stringify({ op: 10, d: { heartbeat_interval: world.heartbeatMs } }));
  });
  return {
    upgrade: (request, socket, head) =>
      server.handleUpgrade(request, socket, head, (client) => server.emit('connection', client, request)),
    close: (code) => each((socket) => socket.close(code)),
    cut: () => each((socket) => socket.terminate()),
    reconnect: () => each((socket) => socket.send(JSON.stringify({ op: 7, d: null }))),
    invalidate(resumable) {
      if (!resumable) world.sessions.clear();
      each((socket) => socket.send(JSON.stringify({ op: 9, d: resumable })));
    },
    askHeartbeat: () => each((socket) => socket.send(JSON.stringify({ op: 1, d: null }))),
    sendFrame: (frame) => each((socket) => socket.send(frame)),
    deafen() {
      world.deaf = true;
      each((socket) => socket.pause());
    },
    get connections() {
      return server.clients.size;
    },
  };
}

function take(world: FakeWorld, socket: WebSocket, { op, d }: Payload): void {
  if (world.deaf) return socket.pause();
  if (op === 1) return beat(world, socket, d);
  const fields = (d ?? {}) as Record<string, unknown>;
  if (op === 2) return identify(world, socket, fields);
  if (op === 6) return resume(world, socket, fields);
  if (op > 11) socket.close(4001);
}

function sessionOf(world: FakeWorld, socket: WebSocket): FakeSession | undefined {
  return [...world.sessions.values()].find((session) => session.socket === socket);
}

function beat(world: FakeWorld, socket: WebSocket, sequence: unknown): void {
  const session = sessionOf(world, socket);
  if (session !== undefined && typeof sequence === 'number')
    session.acknowledged = Math.max(session.acknowledged, sequence);
  if (!world.mute) socket.send(JSON.stringify({ op: 11 }));
}

function identify(world: FakeWorld, socket: WebSocket, fields: Record<string, unknown>): void {
  world.identifies += 1;
  world.remainingIdentifies -= 1;
  if (fields.token !== world.token) return socket.close(4004);
  const intents = Number(fields.intents);
  if (!world.contentIntent && (intents & ALLOWED_WITHOUT_CONTENT) !== intents) return socket.close(4014);
  const id = createSnowflake(world);
  const session: FakeSession = { id, intents, events: [], socket, acknowledged: 0 };
  world.sessions.set(id, session);
  const { bot, guild, applicationId, url } = world;
  dispatchTo(session, 'READY', {
    v: 10,
    user: bot,
    session_id: id,
    resume_gateway_url: url.replace('http', 'ws'),
    guilds: [{ id: guild.id, unavailable: true }],
    application: { id: applicationId, flags: 0 },
    shard: fields.shard,
  });
  const channels = [...world.channels.values()].filter(({ guildId }) => guildId === guild.id);
  dispatchTo(session, 'GUILD_CREATE', {
    id: guild.id,
    name: 'Workshop',
    roles: [{ id: guild.roleId, name: 'plugboard', tags: { bot_id: bot.id } }],
    channels: channels.filter(({ type }) => type !== 11).map((channel) => showChannel(world, channel)),
    threads: channels.filter(({ type }) => type === 11).map((channel) => showChannel(world, channel)),
  });
}

function resume(world: FakeWorld, socket: WebSocket, fields: Record<string, unknown>): void {
  world.resumes += 1;
  if (fields.token !== world.token) return socket.close(4004);
  const session = world.sessions.get(String(fields.session_id));
  const sequence = Number(fields.seq);
  if (session === undefined || sequence > session.events.length)
    return void socket.send(JSON.stringify({ op: 9, d: false }));
  session.socket = socket;
  session.acknowledged = Math.max(session.acknowledged, sequence);
  for (const event of session.events.slice(sequence)) socket.send(JSON.stringify({ op: 0, ...event }));
  dispatchTo(session, 'RESUMED', {});
}

/** Codes 1000 and 1001 end the session; any other keeps it. */
function leaveSession(world: FakeWorld, socket: WebSocket, code: number): void {
  const session = sessionOf(world, socket);
  if (session === undefined) return;
  session.socket = undefined;
  if (code === 1000 || code === 1001) world.sessions.delete(session.id);
}
