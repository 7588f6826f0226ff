import { listUnenforcedLimits } from '@plugboard/process';
import { describe, expect, it } from 'vitest';
import type { AgentConfig } from '../../src/config/config.ts';
import { silentLogger } from '../../src/log.ts';
import { configOf, shell } from '../config-of.ts';
import { startDesk } from '../openai/client.ts';

const GROW = `exec "${process.execPath}" -e 'const held = []; setInterval(() => held.push(Buffer.alloc(2e6, 1)), 10)'`;

function limited(script: string, at: string, limits: AgentConfig['profile']['limits'] & object): AgentConfig {
  const agent = shell('one', script, at);
  return { ...agent, profile: { ...agent.profile, limits } };
}

describe('an agent with limits behind the gateway', () => {
  it.runIf(process.platform === 'linux')('that takes too much memory is an error that says so', async () => {
    const limits = { memoryBytes: 100 * 1024 ** 2 };
    const desk = await startDesk({ agents: (at) => [limited(GROW, at, limits)] });
    await expect(desk.chat('one', 'hi')).rejects.toThrow('used more than 100 MiB of memory');
  });

  it.runIf(listUnenforcedLimits({ processes: 9 }).length > 0)(
    'that cannot be enforced is told to the operator, and again only when they change',
    async () => {
      const warned: unknown[] = [];
      const log = {
        ...silentLogger,
        warn: (_text: string, fields?: object) => void warned.push({ ...fields }),
      };
      const agents = (processes: number) => (at: string) => [limited('echo 1', at, { processes })];
      const desk = await startDesk({ agents: agents(9), log });
      const told = { code: 'limit-not-enforced', agent: 'one' };
      expect(warned).toEqual([told]);
      desk.gateway.reload(configOf(desk.directory, { agents: agents(9) }));
      expect(warned).toEqual([told]);
      desk.gateway.reload(configOf(desk.directory, { agents: agents(10) }));
      expect(warned).toEqual([told, told]);
    },
  );
});
