import { join } from 'node:path';
import { openSqlite } from '@plugboard/store/sqlite';
import { temporaryDirectory, until } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { configOf } from '../config-of.ts';
import { brief, shell, startBench } from '../harness.ts';

it('a message that was claimed but given to no agent when the gateway was killed is answered', async () => {
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

it('a message waits when its agent is not configured at the next start, and is answered once it is again', async () => {
  using here = temporaryDirectory();
  const left = openSqlite(join(here.path, 'gateway.db'), { clock: Date.now, synchronous: 'normal' });
  const session = await left.sessions.open({ channel: 'web', place: 'hall', agent: 'echo' });
  const message = { source: 'web:1', sessionId: session.id, text: 'hello', attachments: [], sender: 'ada' };
  await left.inbox.admit(message);
  await left.close();
  const others = (at: string) => [shell('other', 'echo other', at)];
  const bench = await startBench({ directory: here.path, agents: others });
  const said = async (): Promise<string[]> => brief(await bench.log(session));
  await until(async () => (await said()).length > 1, 'the session to say that its agent is absent');
  expect(await said()).toEqual([
    'user: hello',
    expect.stringMatching(/^notice: There is no agent "echo" now\./),
  ]);
  expect(brief(await bench.ask(await bench.session('attic'), 'hi')).at(-1)).toBe('end success');
  expect((await bench.store.sessions.get(session.id))?.waiting).toBe(1);
  bench.gateway.reload(configOf(here.path, {}));
  await bench.idle(session);
  expect((await said()).at(-1)).toBe('end success');
});
