import { writeSync } from 'node:fs';
import { openSqlite } from '../../../src/drivers/sqlite/open.ts';

/**
 * Writes to a store for ever, and prints a line for everything that it may rely on: `admitted <source>`, and
 * `completed <turn> <delivery text>`. The arguments are the file and a word to tell its sources from those of others.
 */
const [file = '', round = ''] = process.argv.slice(2);
const store = openSqlite(file, { clock: Date.now });
const say = (line: string): number => writeSync(1, `${line}\n`);

async function talk(place: string): Promise<never> {
  const session = await store.sessions.open({ channel: 'web', place, agent: 'echo' });
  for (let n = 0; ; n += 1) {
    const source = `${round}-${place}-${n}`;
    await store.inbox.admit({ source, sessionId: session.id, text: source, attachments: [], sender: 'x' });
    say(`admitted ${source}`);
  }
}

async function answer(): Promise<never> {
  for (;;) {
    const claims = await store.turns.claim({ node: 'north', leaseMs: 60_000, limit: 4 });
    for (const claim of claims) {
      const text = `re: ${claim.message?.text}`;
      await store.turns.record(claim, { events: [{ type: 'message', text, media: [] }] });
      const delivery = { channel: 'web', place: claim.session.place, body: text, expiresInMs: 60_000 };
      await store.turns.record(claim, {
        events: [],
        end: { type: 'end', outcome: 'success', text },
        deliveries: [delivery],
      });
      say(`completed ${claim.turn.id}`);
    }
  }
}

await Promise.all([...['a', 'b', 'c', 'd'].map(talk), answer()]);
