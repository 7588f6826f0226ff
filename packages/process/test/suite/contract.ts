import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Child } from '../../src/child.ts';
import { directSpawner } from '../../src/helper/spawner.ts';
import { collectOutput, createTag, onLinux, PATH, shell, start, until } from '../processes.ts';

const MIB = 1024 * 1024;

async function outputOf(child: Child): Promise<string> {
  const output = collectOutput(child);
  await child.ended;
  return output.text();
}

/** Properties that a helper between host and process could break. */
export function contractSuite(): void {
  describe('arguments, environment and working directory', () => {
    const odd = [
      '',
      ' ',
      'two\nlines',
      '"quoted" \'twice\' \\ $HOME',
      'äöü 漢字 😀',
      '\u0001\u007f',
      '-n',
      '=',
      'a=b=c',
    ];

    it('passes odd arguments to the process unchanged', async () => {
      const child = start({ file: 'sh', args: ['-c', 'printf "%s\\0" "$@"', 'sh', ...odd], env: { PATH } });
      expect((await outputOf(child)).split('\0').slice(0, -1)).toEqual(odd);
    });

    it('passes odd environment variables to the process unchanged', async () => {
      const variables = Object.fromEntries(odd.map((value, index) => [`ODD_${index}`, value]));
      const child = start({ file: 'env', args: ['-0'], env: { PATH, ...variables } });
      const told = (await outputOf(child)).split('\0');
      for (const [name, value] of Object.entries(variables)) expect(told).toContain(`${name}=${value}`);
    });

    it('passes a megabyte of arguments and variables to the process whole', async () => {
      const part = 'x'.repeat(1000);
      const env = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`V${index}`, part]));
      const args = ['-c', 'echo $#; env | wc -c', 'sh', ...Array<string>(500).fill(part)];
      const [count, bytes] = (await outputOf(start({ file: 'sh', args, env: { PATH, ...env } }))).split('\n');
      expect(count).toBe('500');
      expect(Number(bytes)).toBeGreaterThan(500_000);
    });

    it('looks the command up on its own PATH, after the change of directory', async () => {
      const child = start({ file: 'sh', args: ['-c', 'pwd'], cwd: '/', env: { PATH: '/nowhere:bin' } });
      expect(await outputOf(child)).toBe('/\n');
    });

    it('runs a script without a #! line with the shell', async () => {
      const { mkdtempSync, rmSync, writeFileSync } = await import('node:fs');
      const folder = mkdtempSync('/tmp/process-script-');
      writeFileSync(`${folder}/plain`, 'echo "$1 from a script"\n', { mode: 0o755 });
      const env = { PATH: `/nowhere:${folder}:${PATH}` };
      expect(await outputOf(start({ file: 'plain', args: ['hello'], env }))).toBe('hello from a script\n');
      expect(await outputOf(start({ file: './plain', args: ['hi'], cwd: folder, env }))).toBe(
        'hi from a script\n',
      );
      rmSync(folder, { recursive: true });
    });

    it.runIf(onLinux)('its descriptors are those that every process gets', async () => {
      const list = { file: 'sh', args: ['-c', 'ls /proc/$$/fd'], env: { PATH } };
      const direct = directSpawner();
      // Compared with a direct start, because the tests may have inherited descriptors themselves.
      const most = (await outputOf(direct.spawn(list))).trim().split('\n');
      const given = (await outputOf(start(list))).trim().split('\n');
      expect(given.slice(0, 3)).toEqual(['0', '1', '2']);
      expect(given.filter((descriptor) => !most.includes(descriptor))).toEqual([]);
    });

    it.runIf(onLinux)(
      'it leads a group, in no session of a terminal, and ignores or blocks no signal',
      async () => {
        const child = shell('exec cat /proc/self/stat /proc/self/status');
        const text = await outputOf(child);
        const [pid, , , , group, , terminal] = text.split(' ');
        expect([group, terminal]).toEqual([pid, '0']);
        expect(Number(pid)).toBe(child.pid());
        const [, blocked, ignored] = /SigBlk:\t(\w+)\nSigIgn:\t(\w+)/.exec(text) ?? [];
        // The C library ignores signals 32 and 33 in its children.
        expect([blocked, Number.parseInt(ignored ?? '', 16) & 0x7fffffff]).toEqual(['0'.repeat(16), 0]);
      },
    );

    it('a program that sets one stream to non-blocking leaves the others blocking', async () => {
      const script =
        'import fcntl,os;f=lambda d:fcntl.fcntl(d,fcntl.F_GETFL)&os.O_NONBLOCK;os.set_blocking(0,False);print(f(1),f(2))';
      const child = start({ file: 'python3', args: ['-c', script], env: { PATH } });
      expect(await outputOf(child)).toBe('0 0\n');
    });
  });

  describe('input and output', () => {
    it('passes ten megabytes through stdin and stdout', async () => {
      const child = shell('cat');
      const output = collectOutput(child);
      child.write(Buffer.alloc(10 * MIB, 'x'));
      child.closeInput('end');
      await child.ended;
      expect([output.bytes(), output.text().slice(-4)]).toEqual([10 * MIB + 3, 'xend']);
    });

    it('the process sees the end of its input while its output goes on', async () => {
      const child = shell('cat >/dev/null; echo seen; sleep 0.2; echo still here');
      child.closeInput('something');
      expect(await outputOf(child)).toBe('seen\nstill here\n');
    });

    it('the host sees the end of the output while input goes on', async () => {
      const child = shell('echo before; exec 1>&-; read line; exit 6');
      let over = false;
      child.stdout?.on('end', () => {
        over = true;
      });
      const output = collectOutput(child);
      await until(() => over, 'end of output');
      expect(output.text()).toBe('before\n');
      child.write('go\n');
      await expect(child.ended).resolves.toMatchObject({ code: 6 });
    });

    it('data written right after the start waits for the process', async () => {
      const child = shell('read one; read two; echo "$one $two"');
      child.write('first\n');
      expect(child.pendingInput()).toBeLessThanOrEqual(6);
      child.write('second\n');
      expect(await outputOf(child)).toBe('first second\n');
    });
  });

  describe('a stop', () => {
    it('a stop right after the start is not lost', async () => {
      const tag = createTag();
      const child = shell('sleep 600', { killGraceMs: 0 }, { env: tag.env });
      child.stop('cancel');
      await expect(child.ended).resolves.toMatchObject({ cause: 'cancel', exitCode: 130 });
      if (onLinux) await until(() => tag.living().length === 0, 'gone');
    });

    it('a stop right after the start sends SIGTERM first', async () => {
      const child = shell('sleep 600');
      child.stop('timeout');
      await expect(child.ended).resolves.toMatchObject({
        cause: 'timeout',
        signal: 'SIGTERM',
        exitCode: 124,
      });
    });
  });

  describe.runIf(onLinux)('many at once', () => {
    it('two hundred processes at once each get their own input and output', async () => {
      const tag = createTag();
      const numbers = Array.from({ length: 200 }, (_, index) => index);
      const answers = numbers.map((number) => {
        const child = shell(
          'read line; echo "got $line"; echo "err $line" >&2; exit $line',
          {},
          { env: tag.env },
        );
        child.closeInput(`${number}\n`);
        return outputOf(child).then(async (text) => ({ text, ending: await child.ended }));
      });
      for (const [number, { text, ending }] of (await Promise.all(answers)).entries()) {
        expect([text, ending.stderr, ending.code]).toEqual([`got ${number}\n`, `err ${number}\n`, number]);
      }
      await until(() => tag.living().length === 0 && countZombies() === 0, 'nothing left');
    });
  });
}

/** The number of zombie children. */
function countZombies(): number {
  const helpers = [process.pid, ...childrenOf(process.pid)];
  return helpers.flatMap(childrenOf).filter((pid) => stateOf(pid) === 'Z').length;
}

export function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return text.trim().split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function stateOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0];
  } catch {
    return undefined;
  }
}
