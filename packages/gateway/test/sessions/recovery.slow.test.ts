import { join } from 'node:path';
import { openSqlite } from '@plugboard/store/sqlite';
import { temporaryDirectory } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { brief, startBench } from '../harness.ts';

// Claimed and given are one state in the store: it cannot tell that no agent has heard of the message, and ends the turn as interrupted. The test
// passes once a message is marked before its first byte is written, and must then be an ordinary one.
it.fails('a message that was claimed but given to no agent when the gateway was killed is answered', async () => {
  using here = temporaryDirectory();
  const left = openSqlite(join(here.path, 'gateway.db'), { clock: Date.now, synchronous: 'normal' });
  const session = await left.sessions.open({ channel: 'web', place: 'hall', agent: 'echo' });
  const message = { source: 'web:1', sessionId: session.id, text: 'hello', attachments: [], sender: 'ada' };
  await left.inbox.admit(message);
  expect(await left.turns.claim({ node: 'local', leaseMs: 60_000, limit: 1 })).toHaveLength(1);
  await left.close();
  const bench = await startBench({ directory: here.path });
  await bench.idle(session);
  expect(brief(await bench.log(session)).at(-1)).toBe('end success');
});
