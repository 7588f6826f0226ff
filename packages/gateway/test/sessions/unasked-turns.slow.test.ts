import { join } from 'node:path';
import { profileFor, until } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import type { AgentConfig } from '../../src/config/config.ts';
import { brief, startBench } from '../harness.ts';

function talker(at: string): AgentConfig {
  const argv = [process.execPath, join(import.meta.dirname, '../agents/talker.ts'), '--stdio'];
  const profile = { ...profileFor('nuum', argv, at), name: 'talker' };
  return { name: 'talker', profile, share: false, parkAfterMs: 0, onCrash: 'fail' };
}

it('an agent that begins turns one after the other answers a message between them, and every turn is recorded', async () => {
  const bench = await startBench({ agents: (at) => [talker(at)] });
  const session = await bench.session();
  const messages = async (): Promise<string[]> =>
    brief(await bench.log(session)).filter((line) => line.startsWith('message'));
  await bench.say(session, 'begin 2000');
  await until(() => bench.gateway.engine.counts.ended > 3, 'the agent to begin turns by itself');
  await bench.say(session, 'second');
  await until(async () => (await messages()).length === 2_002, 'every turn to be recorded', 30_000);
  expect((await messages()).lastIndexOf('message: answer')).toBeLessThan(1_500);
  await bench.idle(session);
  const events = (await bench.log(session)).map(({ event }) => event.type);
  expect(events).not.toContain('fault');
});
