import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { open, readProfile } from '@plugboard/host';
import { createTurn, type Event } from '@plugboard/protocol';
import { PLUGBOARD, profileFor, startedAs, temporaryDirectory, until } from '@plugboard/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { example, python } from './agents.ts';
import { converse } from './conversation.ts';

const run = promisify(execFile);

// Profiles say `python3` and `node`, which must be the ones that run this test.
const environment = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };

afterAll(() => {
  for (const left of ['profiles/work', 'profiles/nanobot/users']) {
    rmSync(example(left), { recursive: true, force: true });
  }
});

describe('the agents in node/', () => {
  it.concurrent('echo.mjs answers piped text', async () => {
    const child = run(process.execPath, [example('node/echo.mjs')], { env: environment });
    child.child.stdin?.end('Hallo “Wört”\n');
    expect((await child).stdout).toBe('You said: Hallo “Wört”\n');
  });

  it.concurrent('research.mjs says what it does, and remembers the conversation', async () => {
    using workspace = temporaryDirectory();
    writeFileSync(join(workspace.path, 'a.md'), 'The Lighthouse stands on a cliff.');
    writeFileSync(join(workspace.path, 'b.md'), 'Nothing here.');
    const argv = startedAs('nuum', [process.execPath, example('node/research.mjs')]);
    const agent = open(profileFor('nuum', argv, workspace.path), { environment });
    const events: Event[] = [];
    const turn = createTurn({ id: '1', text: 'Where is the lighthouse?' });
    for await (const event of agent.run(turn)) events.push(event);
    await agent.close();
    expect(events.filter(({ type }) => type === 'tool-result')).toHaveLength(2);
    expect(events.at(-1)).toMatchObject({
      outcome: 'success',
      text: 'Question 1:\na.md mentions lighthouse.\nThat is all.',
    });

    await using talk = converse('agentproc', [process.execPath, example('node/research.mjs')]);
    expect((await talk.say('Anything?')).streamed).toBe('Question 1:\nThat is all.');
    expect((await talk.say('Anything?')).texts).toEqual(['Question 2:\nThat is all.']);
  });
});

describe.runIf(python)('the hosts', () => {
  const host = (file: string, ...args: string[]) =>
    run(process.execPath, [example(`hosts/${file}`), ...args], { env: environment });

  it.concurrent('ask.mjs prints what the agent of a profile says', async () => {
    const { stdout, stderr } = await host('ask.mjs', example('profiles/terminal.yaml'), 'Hallo', 'Wört');
    expect(stdout).toBe('You said: Hallo Wört\n');
    expect(stderr).toBe('… Thinking\n');
  });

  it.concurrent('many.mjs runs its turns through a helper', async () => {
    const { stdout } = await host('many.mjs', example('profiles/terminal.yaml'), '3');
    expect(stdout).toBe('3 of 3 turns were answered.\n');
  });

  it.concurrent('parallel.mjs asks three agents at once', async () => {
    const { stdout } = await host('parallel.mjs', 'Hallo');
    expect(stdout.trim().split('\n').sort()).toEqual([
      'agentproc (agentproc), success: You said: Hallo',
      'nuum (nuum), success: You said: Hallo',
      'terminal (terminal), success: You said: Hallo',
    ]);
  });

  it.concurrent('steer.mjs tells a running turn more, and interrupts one', async () => {
    const { stdout } = await host('steer.mjs');
    expect(stdout.trim().split('\n')).toEqual([
      'The agent took in 1 message.',
      'I was told: Count the sheep, and the goats.',
      'The second turn: cancelled.',
      'The agent is still there: true.',
    ]);
  });
});

it('client/ask.mjs asks an agent through a gateway', async () => {
  using data = temporaryDirectory();
  const [node = '', program = ''] = PLUGBOARD;
  const up = spawn(node, [program, 'up', '--port', '0', '--data', data.path], { env: environment });
  try {
    const instance = join(data.path, 'gateway.json');
    await until(() => existsSync(instance), 'the gateway is up', 20_000);
    const { url, token } = JSON.parse(readFileSync(instance, 'utf8')) as Record<string, string>;
    const env = { ...environment, PLUGBOARD_TOKEN: token };
    const args = [example('client/ask.mjs'), url ?? '', 'shout', 'hello'];
    expect((await run(process.execPath, args, { env })).stdout).toBe('HELLO!\n');
  } finally {
    up.kill();
    await once(up, 'exit');
  }
});

describe.runIf(python)('a profile', () => {
  it.concurrent.each([
    ['agentproc.yaml', 'agentproc'],
    ['agentproc-own.yaml', 'agentproc'],
    ['agentproc-v4.yaml', 'agentproc/v4'],
    ['terminal.yaml', 'terminal'],
    ['nanobot/config.json', 'terminal'],
    ['nib.yaml', 'nib'],
    ['nuum.yaml', 'nuum'],
  ])('%s opens an agent that speaks %s', async (file, dialect) => {
    const profile = await readProfile(example(`profiles/${file}`));
    expect(profile.dialect).toBe(dialect);
    const agent = open(profile, { environment });
    const end = await agent.run(createTurn({ id: '1', text: 'Hallo' })).result;
    await agent.close();
    expect(end).toMatchObject({ outcome: 'success', text: 'You said: Hallo' });
  });
});

describe.runIf(python)('the conformance kit', () => {
  const echo = [python ?? '', example('python/echo.py')];
  const shell = ['sh', example('shell/echo.sh')];

  it.concurrent.each([
    ['terminal', echo],
    ['nib', echo],
    ['nuum', echo],
    ['agentproc', shell],
    ['agentproc/v4', shell],
    ['nuum', shell],
    ['nib', shell],
    ['agentproc', [example('shell/bare_agentproc.sh')]],
    ['terminal', [python ?? '', example('python/bare_terminal.py')]],
    ['nib', [process.execPath, example('node/bare_nib.mjs')]],
  ] as const)('finds that %s is kept to by %s', async (dialect, argv) => {
    const [file = '', ...args] = PLUGBOARD;
    const command = [...args, 'check', '--dialect', dialect, '--json', '--', ...startedAs(dialect, argv)];
    const report = JSON.parse(await printed(file, command));
    const broken = report.cases.filter(
      ({ level, outcome }: { level: string; outcome: string }) => level === 'must' && outcome === 'fail',
    );
    expect(broken.map(({ id }: { id: string }) => id)).toEqual([]);
  });
});

/** What a program prints, also when it exits with another code than 0. */
async function printed(file: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(file, args, { env: environment, maxBuffer: 1024 * 1024 * 16 }, (_error, stdout) =>
      resolve(stdout),
    );
  });
}
