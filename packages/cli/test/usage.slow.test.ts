import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TemporaryDirectory, temporaryDirectory } from '@plugboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plugboard } from './plugboard.ts';

let at: TemporaryDirectory;

beforeAll(() => {
  at = temporaryDirectory();
  const file = (name: string): string => join(at.path, name);
  writeFileSync(file('agent.sh'), '#!/bin/sh\necho "You said: $AGENT_MESSAGE"\n');
  chmodSync(file('agent.sh'), 0o755);
  writeFileSync(file('script'), '#!/bin/sh\n');
  writeFileSync(file('good.yaml'), 'dialect: agentproc\ncommand: ./agent.sh\n');
  // On some disks every file is executable.
  chmodSync(file('good.yaml'), 0o755);
  writeFileSync(file('open.yaml'), 'command: ./agent.sh\n');
  writeFileSync(file('itself'), '#!/usr/bin/env -S plugboard run\ncommand: ./agent.sh\n');
  chmodSync(file('itself'), 0o755);
  writeFileSync(
    file('framed'),
    '#!/usr/bin/env -S plugboard run -d terminal\ncommand: echo framed\nprotocol: plain\n',
  );
  writeFileSync(file('gateway.yaml'), 'agents: { a: { demo: true } }\n');
  writeFileSync(file('config.json'), '{"terminal":{"command":"true"}}');
  mkdirSync(file('folder'));
  expect(spawnSync('mkfifo', [file('pipe')]).status).toBe(0);
});

afterAll(() => at[Symbol.dispose]());

/** What is wrong with a command line, which must be all that it says, in one line. */
async function refusal(...args: string[]): Promise<string> {
  const done = await plugboard(args, { cwd: at.path });
  expect(done).toMatchObject({ code: 2, stdout: '' });
  const [said = '', ...more] = done.stderr.split('\n');
  expect(more).toEqual(['']);
  expect(said).toMatch(/^plugboard: /);
  return said.slice('plugboard: '.length);
}

describe.concurrent('a program without the -- before it', () => {
  it.each([
    [
      ['run', '--dialect', 'agentproc', '-m', 'hi', './agent.sh'],
      'run --dialect agentproc -m hi -- ./agent.sh',
    ],
    [['run', './script', '-m', './script'], 'run -m ./script --dialect NAME -- ./script'],
    [['chat', '-d', 'agentproc', './agent.sh'], 'chat -d agentproc -- ./agent.sh'],
    [['serve', '--as=nuum', '-d', 'agentproc', './agent.sh'], 'serve --as=nuum -d agentproc -- ./agent.sh'],
    [['check', '--dialect', 'agentproc', './agent.sh'], 'check --dialect agentproc -- ./agent.sh'],
    [['detect', './agent.sh'], 'detect -- ./agent.sh'],
    [['run', 'agent.sh', '-m', 'hi'], 'run -m hi --dialect NAME -- ./agent.sh'],
    [['run', '-d', 'agentproc', 'agent.sh', 'script'], 'run -d agentproc -- ./agent.sh script'],
    [
      ['run', '-d', 'nib', '-m', "it's me", 'python3', 'a b.py'],
      `run -d nib -m 'it'\\''s me' -- python3 'a b.py'`,
    ],
  ])('is told the line that was meant by %j', async (args, line) => {
    expect(await refusal(...args)).toMatch(
      new RegExp(`Put the command after --: plugboard ${RegExp.escape(line)}$`),
    );
  });

  it('is not seen in a profile that happens to be executable, nor in a word too many after one', async () => {
    for (const file of ['good.yaml', 'itself']) {
      const done = await plugboard(['run', file, '-m', 'hi'], { cwd: at.path });
      expect(done).toMatchObject({ code: 0, stdout: 'You said: hi\n' });
    }
    const args = ['run', 'framed', '-d', 'terminal', '-m', 'hi'];
    expect(await plugboard(args, { cwd: at.path })).toMatchObject({ code: 0, stdout: 'framed\n' });
    expect(await refusal('run', 'good.yaml', 'hi')).toContain('Run plugboard run --help');
  });
});

describe.concurrent('options that contradict each other', () => {
  it.each([
    [
      ['run', 'good.yaml', '-m', 'hi', '--stdin'],
      'The message comes from -m or from --stdin, not from both.',
    ],
    [['run', 'good.yaml', '-m', 'hi', '-d', 'terminal'], 'speaks agentproc: leave out --dialect terminal'],
    [['run', 'config.json', '-m', 'hi', '-d', 'nib'], 'speaks terminal: leave out --dialect nib'],
    [['chat', 'good.yaml', '--agent', 'foo'], '--agent names an agent of its own'],
    [['chat', 'good.yaml', '--data', 'foo'], 'say --gateway too'],
    [['chat', '--gateway', '--demo'], '--demo is for an agent that is started here'],
    [['chat', '--gateway', '--', './agent.sh'], 'A gateway has agents of its own'],
    [['run', 'good.yaml', '-m', 'hi', '--session', ''], '--session: give the conversation a name.'],
    [['chat', 'good.yaml', '--session', ' '], '--session: give the conversation a name.'],
    [['serve', '--as', 'nuum', '--session', '', 'good.yaml'], '--session: give the conversation a name.'],
    [
      ['run', 'good.yaml', '-m', 'x', '--timeout', '3', '--set', 'timeout_secs=4'],
      '--timeout and --set timeout_secs say the same',
    ],
    [
      ['check', '--dialect', 'claude', '--', 'cat'],
      'There are no cases for agents of claude. plugboard check --host',
    ],
    [['config', 'check', '--', './agent.sh'], 'plugboard config check starts no program'],
    [['run', 'good.yaml', '--operation', 'scene-proof'], 'good speaks agentproc, which has no operations.'],
  ])('are refused: %j', async (args, sentence) => {
    expect(await refusal(...args)).toContain(sentence);
  });

  it('do not include a dialect that the profile leaves open, or names too', async () => {
    for (const file of ['good.yaml', 'open.yaml']) {
      const done = await plugboard(['run', file, '-m', 'hi', '-d', 'agentproc'], { cwd: at.path });
      expect(done).toMatchObject({ code: 0, stdout: 'You said: hi\n' });
    }
  });
});

describe.concurrent('one thing taken for another', () => {
  const GATEWAY =
    'gateway.yaml looks like the configuration of a gateway, not like the profile of one agent. ' +
    'plugboard up -c gateway.yaml takes it, and plugboard chat --gateway talks to its agents.';
  const PROFILE = 'This looks like the profile of one agent, not like the configuration of a gateway.';
  const MESSAGE = 'A message goes behind -m, in quotes if it has spaces: -m';

  it.each([
    [['run', 'gateway.yaml', '-m', 'hi'], GATEWAY],
    [['chat', 'gateway.yaml'], GATEWAY],
    [['serve', 'gateway.yaml', '--as', 'nib'], GATEWAY],
    [['install', 'nib-agent', 'x', 'gateway.yaml', '--dir', '.'], GATEWAY],
    [['config', 'check', '-c', 'good.yaml'], PROFILE],
    [['up', '-c', 'good.yaml', '--data', './data'], PROFILE],
    [['run', '-d', 'agentproc', 'hi', '--', './agent.sh'], `hi is not the name of a file. ${MESSAGE} hi`],
    [['run', '-d', 'agentproc', "it's", '-m', 'x', '--', './agent.sh'], `${MESSAGE} 'it'\\''s'`],
    [['run', '--demo', 'hi'], `${MESSAGE} hi`],
    [['run', '--demo', 'good.yaml'], '--demo is an agent of its own'],
    [['run', '-d', 'agentproc', 'good.yaml', '--', './agent.sh'], 'Give either a profile or a command'],
    [['chat', '-d', 'agentproc', 'hi', '--', './agent.sh'], 'Give either a profile or a command'],
  ])('is known for what it is: %j', async (args, sentence) => {
    expect(await refusal(...args)).toContain(sentence);
  });

  it.each([['everything'], ['agent:'], ['agent:Big'], ['Chat']])(
    'is a scope that there is not, before a gateway is asked: %s',
    async (scope) => {
      expect(
        await refusal('token', 'create', 'x', '--scope', 'chat', '--scope', scope, '--data', 'none'),
      ).toBe(
        `--scope ${scope}: there is no such scope. There are: chat, inspect, operate, metrics, admin, and agent:NAME for one agent.`,
      );
    },
  );
});

describe.concurrent('--set', () => {
  const FIELDS =
    'timeout_secs, idle_timeout_secs, kill_grace_secs, stdin, max_reply_chars, truncation_suffix, include_stderr_in_reply, send_error_reply, streaming, session_line_prefix';

  it.each(['command=x', 'env={"A":"b"}', 'env.A=b', 'foo=1', 'dialect=nib'])(
    'says which fields there are when it is none of them: %s',
    async (assignment) => {
      expect(await refusal('run', 'good.yaml', '-m', 'x', '--set', assignment)).toBe(
        `--set ${assignment}: this is no field of agentproc that can be set here. There are: ${FIELDS}.`,
      );
    },
  );

  it.each([
    ['streaming=maybe', 'streaming: Expected true or false.'],
    ['stdin=mesage', 'stdin: Invalid option: expected one of "none"|"message". Did you mean "message"?'],
    ['timeout_secs=-1', 'timeout_secs: Expected a number, 0 or more.'],
    ['session_line_prefix=', 'session_line_prefix: This must not be empty.'],
  ])('refuses what a profile would refuse: %s', async (assignment, sentence) => {
    expect(await refusal('run', 'good.yaml', '-m', 'x', '--set', assignment)).toBe(
      `--set ${assignment}: ${sentence}`,
    );
  });

  it('sets numbers and texts', async () => {
    const set = ['--set', 'max_reply_chars=3', '--set', 'truncation_suffix=12'];
    const done = await plugboard(['run', 'good.yaml', '-m', 'hi', ...set], { cwd: at.path });
    expect(done).toMatchObject({ code: 0, stdout: 'You12\n' });
  });
});

describe.concurrent('a file that cannot be read', () => {
  it.each([
    [['replay', 'none.rec'], 'The recording none.rec cannot be read: it is not there.'],
    [['replay', 'folder'], 'The recording folder cannot be read: it is a folder.'],
    [['replay', 'pipe'], 'The recording pipe cannot be read: it is a pipe or a device, not a file.'],
    [['run', 'folder', '-m', 'x'], 'folder is a folder; a profile is a file.'],
    [['run', 'pipe', '-m', 'x'], 'pipe is a pipe or a device; a profile is a file.'],
    [
      ['run', 'good.yaml', '-m', 'x', '--attach', 'folder'],
      '--attach folder cannot be read: it is a folder.',
    ],
    [['run', 'good.yaml', '-m', 'x', '--attach', 'none'], '--attach none cannot be read: it is not there.'],
  ])('is told in a sentence: %j', async (args, sentence) => {
    expect(await refusal(...args)).toBe(sentence);
  });
});

describe.concurrent('wrong usage', () => {
  it.each([
    [['help', 'rnu'], "Unknown command 'rnu'. Did you mean run? Run plugboard --help to see what there is."],
    [['token', 'help', 'crate'], "Unknown command 'crate'. Did you mean create?"],
    [['rnu'], "Unknown command 'rnu'. Did you mean run? Run plugboard --help to see what there is."],
    [['run', '--mesage', 'x'], "Unknown option '--mesage'. Did you mean --message? Run plugboard run --help"],
    [['deliveries', 'settle', 'x', 'maybe'], 'Run plugboard deliveries settle --help to see what it takes.'],
    [['config', 'check', 'x'], 'Run plugboard config check --help to see what it takes.'],
    [['replay'], "Missing required argument 'file'. Run plugboard replay --help to see what it takes."],
    [['check', '--list'], 'Say with --dialect NAME whose cases to list.'],
  ])('is told in one line: %j', async (args, sentence) => {
    expect(await refusal(...args)).toContain(sentence);
  });

  it.each(['run', 'chat', 'serve', 'check', 'token create'])(
    'is not invited by defaults that are none: %s',
    async (command) => {
      const done = await plugboard([...command.split(' '), '--help']);
      expect(done.stdout).toContain('(repeatable');
      expect(done.stdout).not.toContain('[])');
    },
  );

  it('is not suggested by the help for recordings: they are played to a host of their own dialect', async () => {
    const { stdout } = await plugboard(['replay', '--help']);
    const dialects = [...stdout.matchAll(/plugboard run --dialect (\S+)/g)].map(([, name]) => name);
    expect(dialects).toEqual(['terminal', 'terminal']);
  });
});
