import { fileURLToPath } from 'node:url';
import { CODER, PLUGBOARD, processesWith, SHOWCASE, temporaryDirectory, until } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { run } from './plugboard.ts';

/** The command line client `acpx`. */
const ACPX = [process.execPath, fileURLToPath(import.meta.resolve('acpx'))];

/** Runs acpx with an agent, in a home of its own. */
function acpx(
  home: string,
  agent: readonly string[],
  args: readonly string[],
  during?: (output: () => string) => Promise<void>,
) {
  const line = agent.map((word) => `'${word}'`).join(' ');
  const env = { HOME: home, PLUGBOARD_HOME: home, SHOWCASE_STATE: home };
  const acting =
    during === undefined ? {} : { during: (_child: unknown, output: () => string) => during(output) };
  return run([...ACPX, '--cwd', home, '--agent', line, ...args], { cwd: home, env, ...acting });
}

/** With `--ttl 1`, the process that keeps a session of acpx ends after a second; while it ends, it refuses prompts. */
function ownerEnds(home: string): Promise<void> {
  return until(() => processesWith(home).length === 0, 'the owner of the session has ended', 30_000);
}

const BRIDGE = [...PLUGBOARD, 'serve', '--as', 'acp', '-d', 'agentproc/v4', '--', ...CODER];

it.concurrent('acpx has a plain turn with an agent', async () => {
  using home = temporaryDirectory();
  const { code, stdout } = await acpx(home.path, CODER, ['--format', 'quiet', 'exec', 'stream']);
  expect({ code, stdout: stdout.trim() }).toEqual({ code: 0, stdout: 'One two three' });
});

it.concurrent.each([
  ['an agent', CODER],
  ['plugboard serve --as acp', BRIDGE],
])('acpx answers the question of %s', async (_name, agent) => {
  using home = temporaryDirectory();
  const allowed = await acpx(home.path, agent, ['--approve-all', '--format', 'quiet', 'exec', 'ask']);
  expect({ code: allowed.code, stdout: allowed.stdout.trim() }).toEqual({
    code: 0,
    stdout: 'It was allowed.',
  });
  const denied = await acpx(home.path, agent, ['--deny-all', '--format', 'quiet', 'exec', 'ask']);
  // acpx ends with 5 where a permission was denied.
  expect({ code: denied.code, stdout: denied.stdout.trim() }).toEqual({
    code: 5,
    stdout: 'It was not allowed.',
  });
});

it.concurrent('acpx opens a session in one process, and goes on with it in others', async () => {
  using home = temporaryDirectory();
  const agent = [...PLUGBOARD, 'serve', '--as', 'acp', '-d', 'agentproc', '--', ...SHOWCASE];
  expect(await acpx(home.path, agent, ['sessions', 'new'])).toMatchObject({ code: 0 });
  const prompt = ['--format', 'quiet', '--ttl', '1', 'prompt', 'count'];
  expect((await acpx(home.path, agent, prompt)).stdout).toContain('This is turn 1.');
  await ownerEnds(home.path);
  expect((await acpx(home.path, agent, prompt)).stdout).toContain('This is turn 2.');
  await ownerEnds(home.path);
  expect(await acpx(home.path, agent, ['sessions', 'close'])).toMatchObject({ code: 0 });
});

it.concurrent('acpx cancels a prompt, and goes on in the session', async () => {
  using home = temporaryDirectory();
  expect(await acpx(home.path, BRIDGE, ['sessions', 'new'])).toMatchObject({ code: 0 });
  const prompt = (text: string, during?: (output: () => string) => Promise<void>) =>
    acpx(home.path, BRIDGE, ['--ttl', '1', 'prompt', text], during);
  const cancelled = await prompt('slow', async (output) => {
    await until(() => output().includes('tick'), 'the first chunk', 30_000);
    expect(await acpx(home.path, BRIDGE, ['cancel'])).toMatchObject({ code: 0 });
  });
  expect(cancelled.stdout).toContain('cancelled');
  await ownerEnds(home.path);
  expect((await prompt('again')).stdout).toContain('again');
});
