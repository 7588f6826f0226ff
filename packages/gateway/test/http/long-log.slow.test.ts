import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { onTestEnd } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { type Door, startDoor } from './door.ts';

const EVENTS = 100_000;
const TOGETHER = 5_000;
const READERS = 12;

/** Reads streams as fast as they come, in a process of its own, and prints the number of each that has reached the end. */
const READER = `
  const [url, token, last, count] = process.argv.slice(1);
  const end = 'id: ' + last + '\\n';
  for (let reader = 0; reader < Number(count); reader++) {
    const headers = { accept: 'text/event-stream', authorization: 'Bearer ' + token };
    fetch(url, { headers }).then(async ({ body }) => {
      let rest = '';
      for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
        rest = rest.slice(-40) + chunk;
        if (rest.includes(end)) return console.log(reader);
      }
    });
  }
`;

/** A session with a long log, as a turn leaves that has written without end. */
async function beginLongSession({ store, gateway }: Door): Promise<{ id: string; last: number }> {
  const { id } = await store.sessions.open({
    channel: 'web',
    place: 'long',
    agent: gateway.agents.defaultName,
  });
  const claim = await store.turns.claimOwn(id, { node: 'test', leaseMs: 600_000 });
  if (claim === undefined) throw new Error('The session has a turn.');
  const said = Array(TOGETHER).fill({ type: 'notice', text: 'a short event' });
  let last = 0;
  for (let count = 0; count < EVENTS; count += TOGETHER) {
    const { first } = await store.turns.record(claim, { events: said });
    last = first + TOGETHER - 1;
  }
  return { id, last };
}

it('readers of a long session from its beginning keep no other request waiting', async () => {
  const door = await startDoor();
  const { id, last } = await beginLongSession(door);
  const url = `${door.door.url}/api/sessions/${id}/events`;
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const reader = spawn(process.execPath, ['-e', READER, url, door.token, String(last), String(READERS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestEnd(() => void reader.kill());
  let read = '';
  reader.stdout.on('data', (chunk) => {
    read += chunk;
  });
  let slowest = 0;
  let asked = 0;
  while (read.split('\n').length <= READERS) {
    const since = performance.now();
    expect((await fetch(`${door.door.url}/healthz`)).status).toBe(200);
    slowest = Math.max(slowest, performance.now() - since);
    asked += 1;
  }
  delay.disable();
  expect(asked).toBeGreaterThan(20);
  expect(slowest).toBeLessThan(1_000);
  expect(delay.max / 1e6).toBeLessThan(500);
  reader.kill();
  await once(reader, 'close');
});
