import { PLUGBOARD } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { home } from './gateway.ts';
import { plugboard, run } from './plugboard.ts';

/** Runs a command by a line for the shell, in which it is `"$@"`; resolves to how it ended. */
function shell(script: string, args: readonly string[], env: Record<string, string> = {}) {
  return run(['/bin/sh', '-c', script, 'sh', ...PLUGBOARD, ...args], { env });
}

const UNWRITTEN = /^plugboard: the output cannot be written: .*$/gm;

describe.concurrent('an output that cannot be written', () => {
  const commands = [
    ['--version'],
    ['--help'],
    ['run', '--demo', '-m', 'shout x'],
    ['run', '--demo', '--json', '-m', 'shout x'],
    ['config', 'schema'],
    ['check', '--dialect', 'terminal', '--list'],
    ['detect', '--timeout', '1', '--', 'cat'],
    ['serve', '--as', 'terminal', '-d', 'terminal', '--', 'echo', 'hi'],
  ];

  it.each(commands.map((args) => [args.join(' '), args] as const))(
    'is told, and the command fails: %s',
    async (_line, args) => {
      const input = args[0] === 'serve' ? `<<'END'\n{"version":1,"text":"hi"}\nEND\n` : '';
      const done = await shell(`"$@" > /dev/full ${input}`, args);
      expect(done.code).toBe(1);
      expect(done.stderr.match(UNWRITTEN)).toHaveLength(1);
    },
  );

  it('of which somebody has read enough is no failure', async () => {
    const done = await shell('{ sleep 0.3; "$@"; echo "ended with $?" >&2; } | true', ['config', 'schema']);
    expect(done.stderr).toBe('ended with 0\n');
  });

  it('leaves no token behind whose secret nobody has seen', async () => {
    await using place = home();
    await place.up();
    const create = ['token', 'create', 'lost', '--data', place.data];
    for (const extra of [[], ['--json']]) {
      const done = await shell('"$@" > /dev/full', [...create, ...extra], { PLUGBOARD_TOKEN: '' });
      expect(done.code).toBe(1);
      expect(done.stderr).toMatch(
        /The secret of token-\S+ could not be shown, and so it was revoked again\.\n$/,
      );
    }
    expect((await place.run(['token', 'list'])).stdout).not.toContain('lost');
  });
});

describe.concurrent.each([
  [['check', '--dialect', 'terminal']],
  [['check', '--dialect', 'nib']],
  [['detect']],
  [['run', '-d', 'terminal', '-m', 'hi']],
])('%j of a program that is not there', (command) => {
  it('says so and ends with 127', async () => {
    for (const [program, why] of [
      ['/nonexistent', 'does not exist'],
      ['no-such-program-here', 'was not found on the PATH'],
    ] as const) {
      const done = await plugboard([...command, '--', program]);
      const sentence = `plugboard: The command "${program}" ${why}; install it or correct the name.\n`;
      expect(done).toEqual({ code: 127, stdout: '', stderr: sentence });
    }
  });
});
