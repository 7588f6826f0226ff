import { setTimeout as pause } from 'node:timers/promises';
import { createPerson, type Measured, type Person, startMeasured } from '../gateway/client.ts';
import type { Part, Report } from '../method/report.ts';
import { median, quantile } from '../method/statistics.ts';

/** An agent that waits for something else for most of its turn, as those do that ask a model; also one that was started early. */
const AGENT = ['/bin/sh', '-c', 'read -r line; sleep 0.3; echo done'];
const RATIO = 2;

/** How long one key waits for an answer while another one sends more messages than are answered. */
export const fairness: Part = {
  name: 'fairness',
  async run(quick): Promise<Report> {
    const gateway = await startMeasured(AGENT);
    try {
      const quiet: number[] = [];
      const flooded: number[] = [];
      let waiting = 0;
      const person = await createPerson(gateway);
      for (let block = 0; block < (quick ? 1 : 3); block += 1) {
        quiet.push(...(await askTimes(person, 10)));
        const flood = startFlood(gateway, await tokenOf(gateway, `flood ${block}`));
        waiting = Math.max(waiting, await flood.filled());
        flooded.push(...(await askTimes(person, 10)));
        await flood.stop();
      }
      person.close();
      return reportOf(quiet, flooded, waiting);
    } finally {
      await gateway.stop();
    }
  },
};

function reportOf(quiet: readonly number[], flooded: readonly number[], waiting: number): Report {
  const ratio = median(flooded) / median(quiet);
  const rows = [
    ['alone', median(quiet), quantile(quiet, 0.9), Math.max(...quiet)],
    [
      `with ${waiting} messages of another key waiting`,
      median(flooded),
      quantile(flooded, 0.9),
      Math.max(...flooded),
    ],
  ];
  return {
    tables: [{ title: 'An answer of 0.3 s for one key', head: ['', 'median ms', 'p90 ms', 'most ms'], rows }],
    bars: [{ name: 'fairness: flooded ÷ alone', measured: ratio, atMost: RATIO }],
  };
}

async function askTimes(person: Person, times: number): Promise<number[]> {
  const took: number[] = [];
  for (let time = 0; time < times; time += 1) took.push(await person.ask());
  return took;
}

/** Keeps as many messages of one token waiting as the gateway takes, each in a session of its own. */
function startFlood(gateway: Measured, token: string): { filled(): Promise<number>; stop(): Promise<void> } {
  let stopped = false;
  let refused = false;
  const sessions: string[] = [];
  const send = async (): Promise<void> => {
    while (!stopped) {
      const { id } = await call<{ id: string }>(gateway, token, '/api/sessions', {});
      sessions.push(id);
      const { status } = await request(gateway, token, `/api/sessions/${id}/messages`, { text: 'hello' });
      if (status !== 429) continue;
      refused = true;
      await pause(50);
    }
  };
  const senders = Array.from({ length: 8 }, send);
  return {
    async filled() {
      while (!refused) await pause(20);
      const metrics = await (await request(gateway, gateway.secret, '/metrics')).text();
      return Number(/plugboard_messages_waiting (\d+)/.exec(metrics)?.[1] ?? 0);
    },
    async stop() {
      stopped = true;
      await Promise.all(senders);
      for (const id of sessions) await request(gateway, token, `/api/sessions/${id}/stop`, {});
    },
  };
}

async function tokenOf(gateway: Measured, name: string): Promise<string> {
  const made = await call<{ secret: string }>(gateway, gateway.secret, '/api/tokens', {
    name,
    scopes: ['chat'],
  });
  return made.secret;
}

async function call<T>(gateway: Measured, token: string, path: string, body: unknown): Promise<T> {
  return (await (await request(gateway, token, path, body)).json()) as T;
}

function request({ port }: Measured, token: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
