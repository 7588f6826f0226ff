import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startModelServer } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { measure } from '../../evaluation/measure.ts';
import { forgetful, idle } from '../../evaluation/scripted.ts';
import { workplace } from '../wire/agent.ts';
import { opened } from './opened.ts';

const VIEW = 45_000;
const EVALUATION = join(import.meta.dirname, '..', '..', 'evaluation', 'memory.ts');
const run = promisify(execFile);

it('keeps a history of 1.3 million tokens within a prompt, and finds every fact in it again', {
  timeout: 60_000,
}, async () => {
  using open = opened();
  const { memory } = open;
  const measured = await measure({
    ...{ memory, distil: forgetful, reflect: idle, seed: 7, view: VIEW, log: () => {} },
    tokens: 1_300_000,
  });
  expect(measured.tokens).toBeGreaterThan(1_300_000);
  expect(measured.omitted).toBe(0);
  expect(measured.mostInView).toBeLessThanOrEqual(VIEW);
  expect(measured.ratio).toBeGreaterThan(40);
  expect(measured.lost).toEqual([]);
  expect(measured).toMatchObject({ foundBySearch: 50, foundByReflection: 50 });
});

it('can be evaluated by anybody, without a model', async () => {
  const file = join(workplace(), 'measured.json');
  const { stdout } = await run(process.execPath, [EVALUATION, '--tokens', '100000', '--json', file]);
  expect(stdout).toMatch(/shows the mechanism/);
  expect(stdout).toMatch(/facts found by search +50 of 50/);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ model: 'script', planted: 50, omitted: 0 });
});

it('is not evaluated for money before somebody has said yes', async () => {
  const env = {
    ...process.env,
    NUUM_MODEL: 'anthropic:m',
    NUUM_API_KEY: 'k',
    NUUM_BASE_URL: 'http://127.0.0.1:1',
  };
  const failed = await run(process.execPath, [EVALUATION, '--provider'], { env }).catch((error) => error);
  expect(failed).toMatchObject({ code: 2, stdout: expect.stringMatching(/about \d+ times.*\$\d+\.\d\d at/) });
  expect(failed.stderr).toContain('--yes');
});

it('is evaluated with a provider as with a script, and what that takes is counted', async () => {
  const server = await startModelServer(() => ({ text: 'Plain words.', usage: { input: 100, output: 10 } }));
  try {
    const env = { ...process.env, NUUM_MODEL: 'openai:m', NUUM_API_KEY: 'k', NUUM_BASE_URL: server.baseUrl };
    const args = [EVALUATION, '--provider', '--yes', '--tokens', '60000', '--price', '1000,0'];
    const { stdout } = await run(process.execPath, args, { env });
    const calls = server.requests.length;
    expect(stdout).toMatch(new RegExp(`questions to the model +${calls}\\n`));
    expect(stdout).toContain(`${calls * 100} in, ${calls * 10} out`);
    expect(stdout).toMatch(new RegExp(`cost +\\$${(calls / 10).toFixed(2)}`));
  } finally {
    await server.close();
  }
});
