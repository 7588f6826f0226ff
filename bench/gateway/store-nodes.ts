import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Admission, Session, Store } from '@plugboard/store';
import { openPostgres } from '@plugboard/store/postgres';
import type { PostgresServer } from '@plugboard/testkit';

/** Starts `store-node.ts`, which says what its mode means. */
export function startNode(url: string, name: string, mode: 'hold' | 'work'): ChildProcess {
  const program = join(import.meta.dirname, 'store-node.ts');
  return spawn(process.execPath, [program, url, name, mode], { stdio: ['pipe', 'pipe', 'inherit'] });
}

export async function readLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('The node has no output.');
  const lines = createInterface(child.stdout);
  const [line] = (await once(lines, 'line')) as [string];
  lines.close();
  return line;
}

let sources = 0;

export function admit(store: Store, { id: sessionId }: Session): Promise<Admission> {
  sources += 1;
  const source = `bench:${sources}`;
  return store.inbox.admit({ source, sessionId, text: 'good morning', attachments: [], sender: 'ada' });
}

export function openSession(store: Store, place: string): Promise<Session> {
  return store.sessions.open({ channel: 'web', place, agent: 'echo' });
}

/** Turns a second that `count` nodes answer, each 8 of 50 ms at a time, from sessions that all have a message. */
export async function rateOfNodes(server: PostgresServer, count: number, seconds: number): Promise<number> {
  const url = await server.createDatabase();
  const store = await openPostgres(url);
  const places = Array.from({ length: 200 * count * seconds }, (_, index) => `${index}`);
  const sessions = await Promise.all(places.map((place) => openSession(store, place)));
  for (const session of sessions) await admit(store, session);
  const nodes = Array.from({ length: count }, (_, index) => startNode(url, `node${index}`, 'work'));
  await Promise.all(nodes.map(readLine));
  await sleep(seconds * 1_000);
  const counts = nodes.map(readLine);
  for (const node of nodes) node.stdin?.end();
  const done = (await Promise.all(counts)).map(Number);
  await store.close();
  return done.reduce((sum, one) => sum + one, 0) / seconds;
}
