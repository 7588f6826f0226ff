import { processesWith, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { home, shellAgent, slowAgent } from './gateway.ts';
import { inTerminal, plugboard } from './plugboard.ts';

const mark = (name: string): string => `plugboard-talk-${process.pid}-${name}`;

describe.concurrent('plugboard chat --gateway', () => {
  it('answers what is piped in, line by line, and shows nothing twice', async () => {
    await using place = home();
    await place.up();
    const done = await place.run(['chat', '--gateway'], { input: 'one\n\ntwo\n/status\nthree\n' });
    expect(done).toMatchObject({ code: 0, stdout: 'You said: one\nYou said: two\nYou said: three\n' });
    expect(done.stderr).toContain('Agent: demo.');
    expect(done.stderr).not.toContain('operator:');
    expect(done.stderr).not.toContain('> ');
  });

  it('begins anew at /new, stops at /stop, goes on with --session', async () => {
    await using place = home(`agents:\n  demo: { demo: true }\n  slow: ${slowAgent(mark('stop'))}\n`);
    const up = await place.up();
    const anew = await place.run(['chat', '--gateway'], { input: 'one\n/new\ntwo\n' });
    expect(anew.stdout).toBe('You said: one\nYou said: two\n');
    expect(anew.stderr).toContain('A new session has begun');
    const stopped = await place.run(['chat', '--gateway', '-a', 'slow'], {
      during: async (child, output) => {
        child.stdin?.write('hi\n');
        await until(() => output().includes('begun'), 'it begins');
        child.stdin?.end('/stop\n');
      },
    });
    expect(stopped.code).toBe(1);
    expect(stopped.stderr).toContain('Stopped.');
    await until(() => processesWith(mark('stop')).length === 0, 'nothing is left');
    for (const text of ['first', 'second'])
      await place.run(['chat', '--gateway', '--session', 'letters'], { input: `${text}\n` });
    const { json } = await up.api<{ sessions: { place: string; title: string }[] }>('GET', '/api/sessions');
    const letters = json.sessions.filter((session) => session.place.endsWith(':letters'));
    expect(letters).toMatchObject([{ title: 'first' }]);
    // Another agent can be asked for in a conversation that goes on.
    const other = await place.run(['chat', '--gateway', '--session', 'letters', '-a', 'slow'], {
      input: '/status\n',
    });
    expect(other.stderr).toContain('Agent: slow.');
  });

  it('shows what an agent asks, takes the next line as the answer, and tells what became of it', async () => {
    await using place = home();
    await place.up();
    const done = await place.run(['chat', '--gateway', '-a', 'demo-resident'], {
      during: async (child, output) => {
        child.stdin?.write('delete a.txt\n');
        await until(() => output().includes('Type 1 (Allow) or 2 (Deny).'), 'the question comes');
        child.stdin?.write('allow\n');
        await until(() => output().includes('I would delete a.txt now.'), 'the agent goes on');
        child.stdin?.end();
      },
    });
    expect(done.code).toBe(0);
    expect(done.stderr).toMatch(/Answered allow \(.+\)\./);
  });

  it('fails with a sentence when there is no such agent, no such gateway, or none at all', async () => {
    await using place = home();
    expect(await place.run(['chat', '--gateway'], { input: 'hi\n' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No gateway is running here.'),
    });
    await place.up();
    const unknown = await place.run(['chat', '--gateway', '-a', 'dmo'], { input: 'hi\n' });
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no agent "dmo".') });
    const nowhere = await plugboard(['chat', '--gateway', 'http://127.0.0.1:9'], {
      env: { PLUGBOARD_TOKEN: 'x' },
    });
    expect(nowhere).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The gateway at http://127.0.0.1:9 does not answer'),
    });
    const word = await plugboard(['chat', '--gateway', 'demo'], { env: { PLUGBOARD_TOKEN: 'x' } });
    expect(word).toMatchObject({ code: 2, stderr: expect.stringContaining('give an address') });
  });

  it('reaches an address with the token of PLUGBOARD_TOKEN, and is told when that is not good', async () => {
    await using place = home();
    const up = await place.up();
    const secret = (await place.run(['token', 'create', 'phone'])).stdout.trim();
    const at = (token: string) =>
      plugboard(['chat', '--gateway', `${up.url}/`], {
        input: 'ahoy there\n',
        env: { PLUGBOARD_TOKEN: token, PLUGBOARD_HOME: place.path },
      });
    expect(await at(secret)).toMatchObject({ code: 0, stdout: 'You said: ahoy there\n' });
    expect(await at('pb_nothing')).toMatchObject({ code: 1, stdout: '' });
    const none = await at('');
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('PLUGBOARD_TOKEN') });
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'finds a gateway again that was started anew, and shows what it missed once (%s)',
    async (signal) => {
      const slow = shellAgent(`echo 'AGENT_PARTIAL:"begun"'; sleep 0.7; echo 'AGENT_PARTIAL:" ended"'`);
      await using place = home(`agents: { slow: ${slow} }\n`);
      const up = await place.up();
      const done = await place.run(['chat', '--gateway'], {
        during: async (child, output) => {
          child.stdin?.write('hi\n');
          await until(() => output().includes('begun'), 'the answer begins');
          await up.end(signal);
          // Said while there is nobody: kept, and said when there is somebody again.
          child.stdin?.write('again\n');
          await until(() => output().includes('does not answer') || output().includes('No gateway'), 'told');
          await place.up();
          await until(() => output().split('begun ended').length > 1, 'the second answer comes', 15_000);
          await until(() => output().includes('is back'), 'told');
          child.stdin?.end();
        },
      });
      expect(done.code).toBe(0);
      // Ended by the grace it was given, or interrupted: either way once.
      const first = signal === 'SIGKILL' ? 'begun\n' : 'begun ended\n';
      expect(done.stdout).toBe(`${first}begun ended\n`);
      expect(done.stderr.split('The turn was interrupted').length - 1).toBe(signal === 'SIGKILL' ? 1 : 0);
    },
  );

  it('stops the turn at Ctrl-C in a terminal and goes on, and leaves at the second', async () => {
    const own = mark('ctrl');
    const stubborn = shellAgent(
      `trap '' TERM INT; echo 'AGENT_PARTIAL:"begun"'; while :; do sleep 1; done; : ${own}`,
    );
    await using place = home(`agents:\n  slow: ${slowAgent(own)}\n  stubborn: ${stubborn}\n`);
    await place.up();
    const args = ['chat', '--gateway', '--data', place.data];
    const talked = await inTerminal(args, {
      env: { PLUGBOARD_TOKEN: '' },
      during: async (child, output) => {
        await until(() => output().includes('> '), 'the invitation comes');
        child.stdin?.write('hi\r');
        await until(() => output().includes('begun'), 'the answer begins');
        child.stdin?.write('\u0003');
        await until(() => processesWith(own).length === 0, 'it stops');
        await until(() => /> (\u001b\[\d+G)?$/.test(output()), 'it invites again');
        child.stdin?.write('/status\r');
        await until(() => output().includes('Nothing is running.'), 'it goes on');
        child.stdin?.write('\u0003');
      },
    });
    expect(talked.code).toBe(0);
    const started = performance.now();
    await inTerminal([...args, '-a', 'stubborn'], {
      env: { PLUGBOARD_TOKEN: '' },
      during: async (child, output) => {
        await until(() => output().includes('> '), 'the invitation comes');
        child.stdin?.write('hi\r');
        await until(() => output().includes('begun'), 'the answer begins');
        child.stdin?.write('\u0003');
        await new Promise((resolve) => setTimeout(resolve, 300));
        child.stdin?.write('\u0003');
      },
    });
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('shows where the files of an agent are, and the exit code of the last answer', async () => {
    await using place = home();
    const up = await place.up();
    const drawn = await place.run(['chat', '--gateway', '-a', 'demo-files'], { input: 'draw\n' });
    const address = /\[(.+)\]/.exec(drawn.stdout)?.[1] ?? '';
    expect(address.startsWith(`${up.url}/api/media/`)).toBe(true);
    const failed = await place.run(['chat', '--gateway'], { input: 'fail\n' });
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('You asked me to fail') });
  });
});
