import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processesWith, temporaryDirectory, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { plugboard } from './plugboard.ts';

const sh = (script: string): string[] => ['--', '/bin/sh', '-c', script];

describe.concurrent('plugboard run', () => {
  it('puts the reply on stdout and nothing else there', async () => {
    const script = `echo '{"type":"progress","text":"working"}'; echo '{"type":"log","text":"l"}'; echo '{"type":"message","text":"hi"}'`;
    const done = await plugboard(['run', '-d', 'terminal', '-m', 'x', ...sh(script)]);
    expect(done).toMatchObject({ code: 0, stdout: 'hi\n' });
    expect(done.stderr).toBe('… working\n');
  });

  it('streams text as it comes', async () => {
    const script = `echo 'AGENT_PARTIAL:"one "'; sleep 5; echo 'AGENT_PARTIAL:"two"'`;
    const done = await plugboard(['run', '-d', 'agentproc', '-m', 'x', ...sh(script)], {
      during: async (_child, output) => {
        await until(() => output() === 'one ', 'the first piece comes', 20_000);
      },
    });
    expect(done).toMatchObject({ code: 0, stdout: 'one two\n' });
  });

  it('prints events as NDJSON, and only those', async () => {
    const done = await plugboard([
      'run',
      '-d',
      'agentproc',
      '--json',
      '-m',
      'x',
      ...sh('echo AGENT_SESSION:s1; echo hello; echo err >&2'),
    ]);
    const events = done.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.map(({ type }) => type).sort()).toEqual(['end', 'log', 'message', 'session']);
    expect(events.at(-1)).toMatchObject({ type: 'end', outcome: 'success', text: 'hello' });
    expect(done.stderr).toBe('');
  });

  it.each(['acp', 'codex', 'claude'])(
    'says of a program that writes back what it reads that it does not speak %s',
    async (dialect) => {
      // The arguments of a dialect come after the script, so that `cat` does not get them.
      const done = await plugboard([
        'run',
        '-d',
        dialect,
        '-m',
        'x',
        '--',
        '/bin/sh',
        '-c',
        'exec cat',
        'sh',
      ]);
      expect(done).toMatchObject({ code: 1, stdout: '' });
      expect(done.stderr).toMatch(/answers with our own requests: .* does not speak .*"plugboard detect -- /);
      expect(done.stderr).not.toContain('does not answer');
    },
  );

  it('takes the message from stdin, whatever its size', async () => {
    const text = `${'ü'.repeat(100_000)}\n`;
    for (const how of [['--stdin'], ['-m', '-']]) {
      const done = await plugboard(['run', '-d', 'terminal', ...how, ...sh('wc -c')], { input: text });
      expect(Number(done.stdout.trim())).toBeGreaterThan(200_000);
    }
  });

  it('goes on with a session', async () => {
    using home = temporaryDirectory();
    const env = { PLUGBOARD_HOME: home.path };
    const script = 'echo "AGENT_SESSION:s-${AGENT_SESSION_ID:-new}"; echo "was ${AGENT_SESSION_ID:-nothing}"';
    const say = async (...extra: string[]) =>
      (
        await plugboard(['run', '-d', 'agentproc', '-m', 'x', ...extra, ...sh(script)], { env })
      ).stdout.trim();
    expect(await say('--session', 'k')).toBe('was nothing');
    expect(await say('--session', 'k')).toBe('was s-new');
    expect(await say('--session', 'other')).toBe('was nothing');
    expect(await say()).toBe('was nothing');
  });

  it('keeps the sessions of two agents apart, although the same program starts both', async () => {
    using home = temporaryDirectory();
    const env = { PLUGBOARD_HOME: home.path };
    const say = async (script: string) =>
      (
        await plugboard(['run', '-d', 'agentproc', '-m', 'x', '--session', 's', ...sh(script)], { env })
      ).stdout.trim();
    expect(await say('echo AGENT_SESSION:of-one; echo one')).toBe('one');
    expect(await say('echo "two $AGENT_SESSION_ID"')).toBe('two');
  });

  it('sends files along, and refuses ones that are not there', async () => {
    using home = temporaryDirectory();
    const file = join(home.path, 'a.png');
    writeFileSync(file, '');
    const done = await plugboard([
      'run',
      '-d',
      'agentproc',
      '-m',
      'x',
      '-a',
      file,
      ...sh('echo "$AGENT_IMAGE_URL"'),
    ]);
    expect(done.stdout.trim()).toBe(`file://${file}`);
    expect(
      await plugboard(['run', '-d', 'agentproc', '-m', 'x', '-a', '/none', ...sh('true')]),
    ).toMatchObject({ code: 2 });
  });

  it('asks a nib agent for an operation', async () => {
    const script = `read -r r; printf '{"type":"success","operation":"scene-proof","text":"%s"}' "$(printf %s "$r" | wc -c | tr -d ' ')"`;
    const done = await plugboard([
      'run',
      '-d',
      'nib',
      '--operation',
      'scene-proof',
      '--fields',
      '{"paths":["a.md"]}',
      ...sh(script.replace('read -r r;', 'r=$(cat);')),
    ]);
    expect(done).toMatchObject({ code: 0 });
    expect(Number(done.stdout)).toBeGreaterThan(30);
  });

  it('records, and the recording can be replayed', async () => {
    using home = temporaryDirectory();
    const file = join(home.path, 'a.rec');
    await plugboard([
      'run',
      '-d',
      'terminal',
      '-m',
      'x',
      '--record',
      file,
      ...sh(`cat >/dev/null; echo '{"type":"message","text":"kept"}'`),
    ]);
    expect(readFileSync(file, 'utf8')).toContain('kept');
    const again = await plugboard(['replay', '--speed', '0', file], { input: 'anything' });
    expect(again).toMatchObject({ code: 0, stdout: '{"type":"message","text":"kept"}\n' });
  });

  it('reads a profile, and a field set beside it', async () => {
    using home = temporaryDirectory();
    const file = join(home.path, 'p.yaml');
    writeFileSync(file, 'command: sh agent.sh\ntimeout_secs: 5\n');
    writeFileSync(join(home.path, 'agent.sh'), 'echo "$AGENT_STREAMING $AGENT_MESSAGE"');
    expect((await plugboard(['run', file, '-m', 'a'])).stdout).toBe('1 a\n');
    expect((await plugboard(['run', file, '-m', 'a', '--set', 'streaming=false'])).stdout).toBe('0 a\n');
  });
});

it.concurrent('says so when an agent speaks another dialect than it was asked in', async () => {
  const run = (...more: string[]) =>
    plugboard(['run', '-d', 'agentproc/v4', '-m', 'x', ...more, ...sh('echo hello; echo there')]);
  expect(await run()).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^plugboard: the agent said 2 lines that agentproc\/v4 cannot read.*detect/,
    ),
  });
  expect(await run('--json')).toMatchObject({ code: 0, stderr: '' });
  const silent = ['run', '-d', 'agentproc/v4', '-m', 'x', ...sh('true')];
  expect(await plugboard(silent)).toEqual({ code: 0, stdout: '', stderr: '' });
});

it.concurrent('shows what a resident agent has written to stderr after its turn, too', async () => {
  const result = `{"type":"result","subtype":"success","is_error":false,"result":"ok"}`;
  const script = `read -r line; echo '${result}'; sleep 0.2; echo later >&2; cat > /dev/null; echo last >&2`;
  const done = await plugboard(['run', '-d', 'nuum', '-m', 'x', ...sh(script)]);
  expect(done).toMatchObject({ code: 0, stderr: 'later\nlast\n' });
});

it.concurrent('says that a resident agent has no use for a session, and an agent of one turn hears nothing of it', async () => {
  using home = temporaryDirectory();
  const env = { PLUGBOARD_HOME: home.path };
  const result = `{"type":"result","subtype":"success","is_error":false,"result":"ok"}`;
  const script = `read -r line; echo '${result}'; cat > /dev/null`;
  const remark =
    'plugboard: --session k changes nothing: an agent that speaks nuum keeps its own conversation. Put {session} into its command, such as --db {session}.db, so that the command says which.\n';
  const run = ['run', '-m', 'x', '--session', 'k', '-d'];
  expect(await plugboard([...run, 'nuum', ...sh(script)], { env })).toMatchObject({
    code: 0,
    stderr: remark,
  });
  expect(await plugboard([...run, 'agentproc', ...sh('echo ok')], { env })).toMatchObject({ stderr: '' });
  const chat = ['chat', '--session', 'k', '-d', 'nuum', ...sh(script)];
  expect((await plugboard(chat, { env, input: 'x\n' })).stderr).toContain(remark);
});

describe.concurrent('the exit code of plugboard run', () => {
  it.each([
    ['0 for success', 0, sh('true')],
    ['1 when the agent failed', 1, sh('exit 9')],
    ['127 when there is no such command', 127, ['--', 'no-such-command-here']],
    ['126 when it cannot be executed', 126, ['--', '/dev/null']],
    ['124 after a timeout', 124, ['--timeout', '0.3', ...sh('sleep 20')]],
  ])('is %s', async (_what, code, rest) => {
    expect((await plugboard(['run', '-d', 'agentproc', '-m', 'x', ...rest])).code).toBe(code);
  });

  it('is 1 for an agent that failed, whatever it calls its failure', async () => {
    const script = `echo '{"type":"error","text":"no such customer","code":"not-found"}'`;
    const done = await plugboard(['run', '-d', 'terminal', '-m', 'x', ...sh(script)]);
    expect(done).toMatchObject({ code: 1, stderr: expect.stringContaining('no such customer') });
  });

  it.each([
    ['no agent', ['run', '-m', 'x'], 'Name an agent'],
    ['no message', ['run', '-d', 'nib', '--', 'x'], '-m TEXT'],
    ['no dialect', ['run', '-m', 'x', '--', 'x'], 'plugboard detect'],
    ['an unknown dialect', ['run', '-m', 'x', '-d', 'nuhm', '--', 'x'], 'Did you mean nuum?'],
    ['an unknown command', ['rnu'], 'Did you mean run?'],
    ['an unknown option', ['run', '--mesage', 'x'], 'Did you mean --message?'],
    [
      'an unknown field',
      ['run', '-d', 'terminal', '-m', 'x', '--set', 'protcol=plain', '--', 'x'],
      'Did you mean protocol?',
    ],
    ['a missing profile', ['run', '/no/profile.yaml', '-m', 'x'], 'no profile at /no/profile.yaml'],
    ['a field without a value', ['run', '--demo', '-m', 'x', '--set', 'streaming'], 'say which value'],
    [
      'a value that is none',
      ['run', '-d', 'terminal', '-m', 'x', '--set', 'protocol=foo', '--', 'x'],
      '"plain"|"rich"',
    ],
    ['a number below nothing', ['run', '--demo', '-m', 'x', '--set', 'kill_grace_secs=-1'], '0 or more'],
    ['two agents at once', ['run', '--demo', '-m', 'x', '--', 'x'], 'leave out'],
    ['a recording that cannot be made', ['run', '--demo', '-m', 'x', '--record', '/no/x'], '--record /no/x'],
    ['a bad timeout', ['run', '-d', 'nib', '-m', 'x', '--timeout', 'soon', '--', 'x'], 'number of seconds'],
  ])('is 2, with a sentence that helps, for %s', async (_what, args, sentence) => {
    const done = await plugboard(args);
    expect(done).toMatchObject({ code: 2, stdout: '' });
    expect(done.stderr).toContain(sentence);
  });
});

describe.concurrent('Ctrl-C on plugboard run', () => {
  it('stops the agent and everything it has started, and is reported as 130', async () => {
    const mark = `plugboard-once-${process.pid}`;
    const done = await plugboard(
      [
        'run',
        '-d',
        'agentproc',
        '-m',
        'x',
        ...sh(`echo 'AGENT_PARTIAL:"up"'; sleep 60 & sleep 61; : ${mark}`),
      ],
      {
        during: async (child, output) => {
          await until(() => output().includes('up'), 'the agent starts');
          child.kill('SIGINT');
        },
      },
    );
    expect(done.code).toBe(130);
    expect(processesWith(mark)).toEqual([]);
  });

  it('given twice does not wait for an agent that ignores it', async () => {
    const mark = `plugboard-twice-${process.pid}`;
    let interrupted = 0;
    const done = await plugboard(
      [
        'run',
        '-d',
        'agentproc',
        '-m',
        'x',
        ...sh(`trap '' TERM; echo 'AGENT_PARTIAL:"up"'; while :; do sleep 1; done; : ${mark}`),
      ],
      {
        during: async (child, output) => {
          await until(() => output().includes('up'), 'the agent starts');
          child.kill('SIGINT');
          await new Promise((resolve) => setTimeout(resolve, 200));
          child.kill('SIGINT');
          interrupted = performance.now();
        },
      },
    );
    expect(done.code).toBe(130);
    // The agent would have 5 s.
    expect(performance.now() - interrupted).toBeLessThan(4_500);
    expect(processesWith(mark)).toEqual([]);
  });

  it('SIGTERM is reported as 143', async () => {
    const done = await plugboard(
      ['run', '-d', 'agentproc', '-m', 'x', ...sh(`echo 'AGENT_PARTIAL:"up"'; sleep 60`)],
      {
        during: async (child, output) => {
          await until(() => output().includes('up'), 'the agent starts');
          child.kill('SIGTERM');
        },
      },
    );
    expect(done.code).toBe(143);
  });

  it('a reader that goes away ends it quietly', async () => {
    const mark = `plugboard-unread-${process.pid}`;
    const done = await plugboard(
      [
        'run',
        '-d',
        'terminal',
        '-m',
        'x',
        ...sh(`while :; do echo '{"type":"message","text":"y"}'; done; : ${mark}`),
      ],
      {
        during: async (child, output) => {
          await until(() => output().includes('y'), 'the agent starts');
          child.stdout?.destroy();
        },
      },
    );
    expect(done.stderr).toBe('');
    expect(processesWith(mark)).toEqual([]);
  });
});

const COMMANDS = [
  ...['', 'up', 'run', 'chat', 'serve', 'check', 'replay', 'detect', 'agents', 'init', 'doctor'],
  ...['login', 'token', 'config', 'db', 'token create', 'config show', 'db restore'],
];

it.concurrent.each(COMMANDS)('helps, with examples that are commands of its own: %s', async (command) => {
  const done = await plugboard([...command.split(' ').filter(Boolean), '--help']);
  expect(done.code).toBe(0);
  const [, examples = ''] = done.stdout.split('Examples:\n');
  const named = [...examples.matchAll(/^ +plugboard ([a-z]+)/gm)].map(([, name]) => name);
  expect(named.length).toBeGreaterThan(0);
  for (const name of named) expect(COMMANDS).toContain(name);
});

it.concurrent.each([
  [['tokn'], 'Did you mean token?'],
  [['token', 'crate'], 'Did you mean create?'],
  [['db', 'backpu'], 'Did you mean backup?'],
  [['config', 'chek'], 'Did you mean check?'],
  [['doctor', '--jsn'], 'Did you mean --json?'],
])('suggests what was meant by %j', async (args, sentence) => {
  const done = await plugboard(args);
  expect(done).toMatchObject({ code: 2, stdout: '' });
  expect(done.stderr).toContain(sentence);
});

it.concurrent('tells its version before anything else', async () => {
  expect(await plugboard(['--version'])).toMatchObject({ code: 0, stdout: '0.1.0\n', stderr: '' });
});

it.concurrent('says after a while that an agent that stays has said nothing in its dialect', async () => {
  let seen = '';
  const done = await plugboard(['run', '-d', 'nuum', '-m', 'x', '--', 'cat'], {
    during: async (child, output) => {
      await until(() => output().includes('\n'), 'the remark', 15_000);
      seen = output();
      child.kill('SIGINT');
    },
  });
  expect(seen).toMatch(/^plugboard: cat has said nothing in nuum for 5 s, .*plugboard check --dialect nuum/);
  expect(done.code).toBe(130);
});

it.concurrent('says that people see frames as JSON where an agent is read as plain text, or as an older wire', async () => {
  const plain = ['run', '-d', 'terminal', '--set', 'protocol=plain', '-m', 'x'];
  const one = await plugboard([...plain, ...sh(`echo '{"type":"message","text":"hi"}'`)]);
  expect(one).toMatchObject({ code: 1, stderr: expect.stringContaining('say protocol: rich') });
  expect((await plugboard([...plain, ...sh('echo hi')])).stderr).toBe('');
  const old = await plugboard([
    'run',
    '-d',
    'agentproc',
    '-m',
    'x',
    ...sh(`echo '{"type":"result","text":"hi"}'`),
  ]);
  expect(old).toMatchObject({ code: 1, stderr: expect.stringContaining('agentproc/v4') });
});

it.concurrent('fills {session} in the command of a resident agent with the conversation that is named', async () => {
  using place = temporaryDirectory();
  const result = `{"type":"result","subtype":"success","is_error":false,"result":"%s"}\\n`;
  const script = `read -r line; echo x >> "$0"; printf '${result}' "$0 $(grep -c x "$0")"; cat > /dev/null`;
  const run = (...args: string[]) =>
    plugboard(['run', '-d', 'nuum', '-m', 'x', ...args, ...sh(script), '{session}.txt'], { cwd: place.path });
  expect(await run('--session', 'a')).toMatchObject({ stdout: 'a.txt 1\n', stderr: '' });
  expect(await run('--session', 'a')).toMatchObject({ stdout: 'a.txt 2\n' });
  expect(await run('--session', 'b')).toMatchObject({ stdout: 'b.txt 1\n' });
  expect(await run()).toMatchObject({ stdout: 'default.txt 1\n' });
});
