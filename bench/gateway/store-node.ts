import { setTimeout as sleep } from 'node:timers/promises';
import { openPostgres } from '@plugboard/store/postgres';

/*
 * A node of a store in Postgres, in a process of its own. `hold` claims what waits and says how much; it is then killed.
 * `work` answers what waits, 8 turns of 50 ms at a time, until its input ends, and says how many.
 */
const [url = '', name = '', mode = 'hold'] = process.argv.slice(2);
const AT_A_TIME = 8;
const TURN_MS = 50;

const store = await openPostgres(url, { node: { name, version: 'bench' } });
store.nodes?.attend({
  onNews() {},
  onNewsLost() {},
  onQuestion: async () => null,
  onDeath: async () => {},
  onChange() {},
  onAlive() {},
});

if (mode === 'hold') {
  const claims = await store.turns.claim({ node: name, leaseMs: 60_000, limit: 100 });
  process.stdout.write(`${claims.length}\n`);
  setInterval(() => {}, 1_000);
} else {
  let done = 0;
  let running = 0;
  let ended = false;
  process.stdin.resume().on('end', () => {
    ended = true;
  });
  process.stdout.write('ready\n');
  while (!ended) {
    const claims = await store.turns.claim({ node: name, leaseMs: 60_000, limit: AT_A_TIME - running });
    for (const claim of claims) {
      running += 1;
      void sleep(TURN_MS).then(async () => {
        await store.turns.record(claim, { end: { type: 'end', outcome: 'success', text: '' } });
        running -= 1;
        done += 1;
      });
    }
    await sleep(running >= AT_A_TIME || claims.length === 0 ? 5 : 0);
  }
  while (running > 0) await sleep(5);
  await store.close();
  process.stdout.write(`${done}\n`);
}
