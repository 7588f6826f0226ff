import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGateway, createWebChannel, hashOf, newSecret, openHttp, readConfig } from '@plugboard/gateway';
import { openSqlite } from '@plugboard/store/sqlite';
import { terminalProfile, WORKSPACE } from '../agents/agents.ts';

/*
 * Two servers of event streams in one process: the gateway's, and one that calls `res.write` for every event and client.
 * Each line of input names one, how many events and how many of them in one round of the event loop; each is answered
 * when all have been handed over.
 */
const clients = new Set<ServerResponse>();
const bare = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  clients.add(response);
  response.on('close', () => clients.delete(response));
});
await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));

const demos = new Map([['demo', { profile: terminalProfile(['true']) }]]);
const config = await readConfig(undefined, { environment: {}, dataDirectory: WORKSPACE, demos });
const store = openSqlite(join(WORKSPACE, `fan-out-${process.pid}.db`), {
  clock: Date.now,
  synchronous: 'normal',
});
const log = { debug() {}, info() {}, warn() {}, error() {} };
const gateway = createGateway(
  { ...config, server: { ...config.server, port: 0, requestsPerMinute: 1e9 } },
  {
    store,
    directory: join(tmpdir(), 'plugboard-bench-fan-out'),
    environment: {},
    log,
    channels: [createWebChannel()],
  },
);
await gateway.start();
const door = await openHttp(gateway, { now: Date.now, version: 'bench' });
const secret = newSecret();
await store.tokens.add({ id: 'bench', name: 'bench', hash: hashOf(secret), scopes: ['admin'] });
const session = await store.sessions.open({ channel: 'web', place: 'bench', agent: 'demo' });

const event = {
  type: 'delta',
  kind: 'output',
  text: 'a piece of an answer, as long as such pieces are',
} as const;
let number = 0;

function sayBare(): void {
  number += 1;
  const data = JSON.stringify({ number, turnId: 'bench', at: Date.now(), event });
  const text = `event: event\nid: ${number}\ndata: ${data}\n\n`;
  for (const client of clients) client.write(text);
}

function sayOurs(count: number): void {
  const events = Array.from({ length: count }, () => {
    number += 1;
    return { sessionId: session.id, number, turnId: 'bench', at: Date.now(), event };
  });
  gateway.feed.publish(session.id, events);
}

/** Rounds of the event loop, each with its events; a round waits until sockets have taken the one before. */
async function say(server: string, events: number, together: number): Promise<void> {
  for (let done = 0; done < events; done += together) {
    if (server === 'ours') sayOurs(together);
    else for (let at = 0; at < together; at += 1) sayBare();
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

process.stdout.write(
  `${JSON.stringify({ bare: (bare.address() as AddressInfo).port, ours: door.port, secret, session: session.id })}\n`,
);
for await (const line of createInterface({ input: process.stdin })) {
  const [server = '', events = '0', together = '1', from = '0'] = line.split(' ');
  number = Number(from);
  await say(server, Number(events), Number(together));
  process.stdout.write('said\n');
}
process.exit(0);
