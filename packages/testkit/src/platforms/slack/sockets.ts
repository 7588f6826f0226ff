import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { SlackProblem, type Workspace } from './workspace.ts';

const MOST_SOCKETS = 10;

/** Socket Mode of one app: connections that each need an address of `apps.connections.open`. */
export interface SlackSockets {
  /** Number of calls of `apps.connections.open`. */
  readonly opened: number;
  /** Number of connections now. */
  readonly open: number;
  /** `apps.connections.open`. */
  newAddress(url: string): string;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Sends a frame on one of the connections; undefined when there is none. */
  send(frame: object): WebSocket | undefined;
  /** Sends `disconnect` with a reason on every connection. */
  disconnect(reason: 'warning' | 'refresh_requested' | 'link_disabled' | 'too_many_websockets'): void;
  /** Breaks every connection without a close frame. */
  cut(): void;
  /** Stops reading: pings and close frames stay unanswered. */
  deafen(): void;
  /** Whether new connections get the `hello` frame. */
  greets: boolean;
}

export interface SocketEvents {
  onFrame(frame: Readonly<Record<string, unknown>>): void;
  onOpen(): void;
  onClose(socket: WebSocket): void;
}

export function createSockets({ app }: Workspace, { onFrame, onOpen, onClose }: SocketEvents): SlackSockets {
  const server = new WebSocketServer({ noServer: true });
  const sockets = new Map<WebSocket, Duplex>();
  const tickets = new Set<string>();
  let opened = 0;
  let turn = 0;
  const greet = (socket: WebSocket): void => {
    const hello = { type: 'hello', num_connections: sockets.size, connection_info: { app_id: app } };
    socket.send(
      JSON.stringify({ ...hello, debug_info: { host: 'fake', approximate_connection_time: 3600 } }),
    );
    onOpen();
  };
  const accept = (socket: WebSocket, duplex: Duplex): void => {
    sockets.set(socket, duplex);
    socket.on('message', (data) => onFrame(JSON.parse(String(data)) as Record<string, unknown>));
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      onClose(socket);
    });
    if (self.greets) greet(socket);
  };
  const self: SlackSockets = {
    greets: true,
    get opened() {
      return opened;
    },
    get open() {
      return sockets.size;
    },
    newAddress(url) {
      if (sockets.size >= MOST_SOCKETS) throw new SlackProblem('too_many_websockets');
      opened += 1;
      const ticket = `ticket-${opened}`;
      tickets.add(ticket);
      return `${url.replace(/^http/, 'ws')}/link/?ticket=${ticket}&app_id=${app}`;
    },
    upgrade(request, duplex, head) {
      const ticket = new URL(request.url ?? '/', 'http://slack').searchParams.get('ticket') ?? '';
      if (!tickets.delete(ticket)) return void duplex.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
      server.handleUpgrade(request, duplex, head, (socket) => accept(socket, duplex));
    },
    send(frame) {
      const all = [...sockets.keys()].filter(({ readyState, OPEN }) => readyState === OPEN);
      turn += 1;
      const socket = all[turn % Math.max(1, all.length)];
      socket?.send(JSON.stringify(frame));
      return socket;
    },
    disconnect(reason) {
      const frame = JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'fake' } });
      for (const socket of sockets.keys()) socket.send(frame);
    },
    cut() {
      for (const socket of sockets.keys()) socket.terminate();
    },
    deafen() {
      for (const duplex of sockets.values()) duplex.pause();
    },
  };
  return self;
}
