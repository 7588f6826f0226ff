import { join } from 'node:path';
import { temporaryDirectory, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { inTerminal, plugboard } from './plugboard.ts';

const STEADY = new URL('../../testkit/agents/steady.ts', import.meta.url).pathname;

describe.concurrent('plugboard chat', () => {
  it('answers one line after the other, and leaves at the end of input', async () => {
    const done = await plugboard(['chat', '--demo'], { input: 'one\ntwo\n' });
    expect(done).toMatchObject({ code: 0, stdout: 'You said: one\nYou said: two\n' });
  });

  it('obeys its own commands and passes every other slash on', async () => {
    const done = await plugboard(['chat', '--demo'], {
      input: '/help\n/status\n/new\n/start\n//stop\n/quit\nnever\n',
    });
    expect(done.stderr).toContain('/stop    stop the answer');
    expect(done.stderr).toContain('demo (agentproc)');
    expect(done.stdout).not.toContain('never');
  });

  it('talks in a terminal: greets, invites, shows progress that turns, and leaves', async () => {
    using home = temporaryDirectory();
    const done = await inTerminal(['chat', '--demo'], {
      env: { PLUGBOARD_HOME: home.path },
      during: async (child, output) => {
        await until(() => output().includes('> '), 'the invitation comes');
        child.stdin?.write('count 3\r');
        await until(() => output().includes('2 of 3'), 'progress is shown');
        await until(() => output().includes('I counted to 3.'), 'the answer comes');
        child.stdin?.write('/quit\r');
      },
    });
    expect(done.code).toBe(0);
    expect(done.stdout).toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] /u);
  });

  it.each(['agentproc/v4', 'nuum'])(
    'asks the person at the terminal what an agent that speaks %s may do',
    async (dialect) => {
      using home = temporaryDirectory();
      const done = await inTerminal(['chat', '--demo', '-d', dialect], {
        env: { PLUGBOARD_HOME: home.path },
        during: async (child, output) => {
          await until(() => output().includes('> '), 'the invitation comes');
          child.stdin?.write('delete a.txt\r');
          await until(() => output().includes('Type 1 (Allow) or 2 (Deny).'), 'the question comes');
          child.stdin?.write('perhaps\r');
          await until(() => output().split('Type 1 (Allow)').length > 2, 'the choices come again');
          child.stdin?.write('2\r');
          await until(() => output().includes('I leave a.txt alone'), 'the agent heeds the answer');
          child.stdin?.write('delete b.txt\r');
          await until(() => output().split('? May delete be used?').length > 2, 'the next question comes');
          child.stdin?.write('y\r');
          await until(() => output().includes('I would delete b.txt now.'), 'the agent goes on');
          child.stdin?.write('/quit\r');
        },
      });
      expect(done.code).toBe(0);
    },
  );

  it('stops an answer at Ctrl-C and goes on, and leaves at the next one', async () => {
    const done = await inTerminal(['chat', '-d', 'nuum', '--', process.execPath, STEADY, '--stdio'], {
      during: async (child, output) => {
        await until(() => output().includes('> '), 'the invitation comes');
        child.stdin?.write('wait 60000\r');
        await until(() => output().includes('waiting'), 'the answer begins');
        child.stdin?.write('\u0003');
        await until(() => output().includes('Stopped.'), 'it stops');
        child.stdin?.write('hello\r');
        await until(() => output().includes('you said: hello'), 'it goes on');
        child.stdin?.write('\u0003');
      },
    });
    expect(done.code).toBe(0);
  });

  it('passes on what is said during an answer to an agent that can be steered', async () => {
    const done = await plugboard(['chat', '-d', 'nuum', '--', process.execPath, STEADY, '--stdio'], {
      during: async (child, output) => {
        child.stdin?.write('wait 30000\n');
        await until(() => output().includes('waiting'), 'the answer begins');
        child.stdin?.write('turn left\n');
        await until(() => output().includes('heard: turn left'), 'it is taken in');
        child.stdin?.end();
      },
    });
    expect(done).toMatchObject({ code: 0, stdout: 'waiting\nheard: turn left\n' });
  });

  it('answers everything that was said before the input ended, steered or not', async () => {
    const lines = 'deaf 300\ntwo\nthree\n';
    const done = await plugboard(['chat', '-d', 'nuum', '--', process.execPath, STEADY, '--stdio'], {
      input: lines,
    });
    expect(done).toMatchObject({ code: 0 });
    expect(done.stdout).toContain('you said: two');
    expect(done.stdout).toContain('you said: three');
    expect(done.stdout.indexOf('done')).toBeLessThan(done.stdout.indexOf('you said: two'));
  });

  it.each(['/stop', '/quit'])(
    'says what is dropped with the answer that it waited for, at %s',
    async (typed) => {
      const script =
        'test "$AGENT_MESSAGE" = slow || { echo answered; exit; }; echo \'AGENT_PARTIAL:"up"\'; sleep 60';
      const done = await plugboard(['chat', '-d', 'agentproc', '--', '/bin/sh', '-c', script], {
        during: async (child, output) => {
          child.stdin?.write('slow\n');
          await until(() => output().includes('up'), 'the answer begins');
          child.stdin?.write('second\nthird\n');
          await until(() => output().split('this comes next').length === 3, 'both wait');
          child.stdin?.write(`${typed}\n`);
          await until(() => output().includes('Stopped.'), 'it stops');
          child.stdin?.end();
        },
      });
      expect(done.stderr).toContain('2 waiting messages were dropped: second | third');
      expect(done.stdout).not.toContain('answered');
    },
  );

  it('/stop names a steered message that the agent has not taken in', async () => {
    const done = await plugboard(['chat', '-d', 'nuum', '--', process.execPath, STEADY, '--stdio'], {
      during: async (child, output) => {
        child.stdin?.write('deaf 1500\n');
        await until(() => output().includes('not listening'), 'the answer begins');
        child.stdin?.write('second\n/stop\n');
        await until(() => output().includes('Stopped.'), 'it stops');
        child.stdin?.end();
      },
    });
    expect(done.stderr).toContain('1 waiting message was dropped: second');
    expect(done.stdout).not.toContain('you said');
  });

  it('shows what an agent says unasked', async () => {
    await plugboard(['chat', '-d', 'nuum', '--', process.execPath, STEADY, '--stdio'], {
      during: async (child, output) => {
        child.stdin?.write('alarm 50\n');
        await until(() => output().includes('ring'), 'the alarm is heard');
        child.stdin?.end();
      },
    });
  });
});

it.concurrent('shows the control characters of an agent in a terminal, and does not obey them', async () => {
  const script = `printf 'AGENT_PARTIAL:"\\\\u001b]52;c;x\\\\u0007\\\\u001b[2J"\\n'`;
  const done = await inTerminal(['run', '-d', 'agentproc', '-m', 'x', '--', '/bin/sh', '-c', script], {
    during: async () => {},
  });
  expect(done.stdout).toContain('␛]52;c;x␇␛[2J');
  expect(done.stdout).not.toContain('\u001b]52');
});

describe.concurrent('escape sequences of others', () => {
  const sequence = '\u001b]52;c;x\u0007\u001b[2J';

  it('stay as they are in the answer when stdout is a pipe', async () => {
    const script = `printf '\\033]52;c;x\\007\\033[2J'`;
    const done = await plugboard(['run', '-d', 'terminal', '-m', 'x', '--', '/bin/sh', '-c', script]);
    expect(done.stdout).toContain(sequence);
  });

  it('are shown when a recording is replayed to a terminal, and stay as they are for a host', async () => {
    using place = temporaryDirectory();
    const file = join(place.path, 'x.rec');
    const script = `printf '\\033]52;c;x\\007\\033[2J'`;
    await plugboard(['run', '-d', 'terminal', '-m', 'x', '--record', file, '--', '/bin/sh', '-c', script]);
    const seen = await inTerminal(['replay', file], {
      during: async (child) => void child.stdin?.write('x\r\u0004'),
    });
    expect(seen.stdout).toContain('␛]52;c;x␇␛[2J');
    expect(seen.stdout).not.toContain('\u001b]52');
    expect((await plugboard(['replay', file], { input: 'x' })).stdout).toContain(sequence);
  });

  it('do not reach the terminal from a check, a guess or an error', async () => {
    const agent = [
      '--',
      '/bin/sh',
      '-c',
      `printf '\\033]52;c;x\\007'; printf '\\033]52;c;x\\007' >&2; exit 3`,
    ];
    for (const line of [
      ['check', '--dialect', 'agentproc', ...agent],
      ['detect', ...agent],
      ['run', '-d', 'agentproc', '-v', '-m', 'x', ...agent],
      ['run', '-m', 'x', 'no-such-\u001b]52;c;x\u0007.yaml'],
      ['doctor', '-c', 'no-such-\u001b]52;c;x\u0007.yaml'],
    ]) {
      const { stdout, stderr } = await inTerminal(line, { during: async () => {} });
      expect(stdout + stderr, line.join(' ')).not.toContain('\u001b]52');
    }
  });
});
