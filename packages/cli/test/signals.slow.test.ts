import { spawn } from 'node:child_process';
import { PLUGBOARD, processesWith, temporaryDirectory, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { inTerminal, plugboard } from './plugboard.ts';

let count = 0;
const newMark = (): string => `plugboard-signal-${process.pid}-${++count}.`;

/** A command that runs an agent which would run for ever, and what is sent to it. */
const COMMANDS: readonly [string, (agent: readonly string[]) => readonly string[], string][] = [
  ['check', (agent) => ['check', '-d', 'agentproc', '--', ...agent], ''],
  ['detect', (agent) => ['detect', '--timeout', '60', '--', ...agent], ''],
  ['chat', (agent) => ['chat', '-d', 'agentproc', '--', ...agent], 'hi\n'],
  [
    'serve',
    (agent) => ['serve', '--as', 'terminal', '-d', 'agentproc', '--', ...agent],
    '{"version":1,"text":"hi"}\n',
  ],
];

describe.concurrent.each(COMMANDS)('plugboard %s', (_name, command, input) => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('leaves no agent behind at %s, and exits with %i', async (signal, code) => {
    const mark = newMark();
    const done = await plugboard(command(['/bin/sh', '-c', `sleep 60 & sleep 61; : ${mark}`]), {
      during: async (child) => {
        child.stdin?.write(input);
        await until(() => processesWith(mark).length > 1, 'the agent starts');
        child.kill(signal);
      },
    });
    expect(done.code).toBe(code);
    await until(() => processesWith(mark).length === 0, 'nothing is left');
  });
});

it.concurrent.each([
  ['run', ['run', '-d', 'agentproc', '-m', 'hi'], ''],
  ['chat', ['chat', '-d', 'agentproc'], 'hi\n'],
] as const)(
  'plugboard %s leaves no agent behind when it is killed with SIGKILL',
  async (_name, command, input) => {
    const mark = newMark();
    // Does not read its stdin: the end of it would not end the agent.
    const agent = ['/bin/sh', '-c', `sleep 60 & sleep 61; : ${mark}`];
    await plugboard([...command, '--', ...agent], {
      during: async (child) => {
        child.stdin?.write(input);
        await until(() => processesWith(mark).length > 1, 'the agent starts');
        child.kill('SIGKILL');
      },
    });
    await until(() => processesWith(mark).length === 0, 'nothing is left');
  },
);

it.concurrent('ends the agent behind when the host in front has gone', async () => {
  const mark = newMark();
  const [node = '', program = ''] = PLUGBOARD;
  const script = `while :; do echo '{"type":"progress","text":"p"}'; sleep 0.1; done; : ${mark}`;
  const args = ['serve', '--as', 'terminal', '-d', 'terminal', '--', '/bin/sh', '-c', script];
  using place = temporaryDirectory();
  const child = spawn(node, [program, ...args], { cwd: place.path });
  child.stdin.end('{"version":1,"text":"hi"}\n');
  await new Promise((resolve) => child.stdout.once('data', resolve));
  child.stdout.destroy();
  await until(() => processesWith(mark).length === 0, 'the agent ends');
});

it.concurrent('ends the agent when its answer cannot be written', async () => {
  const mark = newMark();
  const [node = '', program = ''] = PLUGBOARD;
  const agent = `echo 'AGENT_PARTIAL:"hi"'; exec sleep 60; : ${mark}`;
  const line = `"$0" "$1" run -d agentproc -m x -- /bin/sh -c '${agent.replaceAll("'", `'\\''`)}' > /dev/full`;
  const child = spawn('/bin/sh', ['-c', line, node, program]);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect(code).toBe(1);
  expect(stderr).toMatch(/^plugboard: the output cannot be written: .*\n$/);
  await until(() => processesWith(mark).length === 0, 'nothing is left');
});

it.concurrent('does not wait at the second Ctrl-C for an agent that will not stop', async () => {
  const mark = newMark();
  const script = `trap '' TERM; echo 'AGENT_PARTIAL:"up"'; while :; do sleep 1; done; : ${mark}`;
  let interrupted = 0;
  await inTerminal(['chat', '-d', 'agentproc', '--', '/bin/sh', '-c', script], {
    during: async (child, output) => {
      await until(() => output().includes('> '), 'the invitation comes');
      child.stdin?.write('hi\r');
      await until(() => output().includes('up'), 'the answer begins');
      child.stdin?.write('\u0003');
      await new Promise((resolve) => setTimeout(resolve, 300));
      child.stdin?.write('\u0003');
      interrupted = performance.now();
    },
  });
  // The agent would have 5 s.
  expect(performance.now() - interrupted).toBeLessThan(4_500);
  await until(() => processesWith(mark).length === 0, 'nothing is left');
});
