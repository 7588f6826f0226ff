import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { collectOutput, shell, until } from '../processes.ts';

const MIB = 1024 * 1024;

/** Tests of stdin, stdout and stderr. */
export function streamsSuite(): void {
  describe('stdin', () => {
    it('unread stdin is counted in `pendingInput` and does no harm', async () => {
      const child = shell('echo up; sleep 600', { killGraceMs: 0 });
      const output = collectOutput(child);
      expect(child.write(Buffer.alloc(10 * MIB))).toBe(false);
      await until(() => output.text() === 'up\n', 'started');
      expect(child.pendingInput()).toBeGreaterThan(9 * MIB);
      child.stop('timeout');
      await expect(child.ended).resolves.toMatchObject({ cause: 'timeout' });
    });

    it('stdin arrives whole, and `pendingInput` then returns 0', async () => {
      const child = shell('wc -c');
      const output = collectOutput(child);
      child.write(Buffer.alloc(3 * MIB));
      await until(() => child.pendingInput() === 0, 'taken');
      child.write('äö');
      child.closeInput();
      child.write('after the end');
      await child.ended;
      expect(output.text().trim()).toBe(String(3 * MIB + 4));
    });

    it('writing to the stdin of an exited process raises no error', async () => {
      const child = shell('exec 0<&-; echo closed; sleep 0.3; exit 0');
      const output = collectOutput(child);
      await until(() => output.text() === 'closed\n', 'closed');
      child.write(Buffer.alloc(MIB));
      await expect(child.ended).resolves.toMatchObject({ cause: 'exit', code: 0 });
      expect(child.write('too late')).toBe(true);
      child.closeInput();
    });
  });

  describe('stderr', () => {
    it('stderr of any size is drained, and only its end is kept', async () => {
      const child = shell('head -c 52428800 /dev/zero | tr "\\0" e >&2; echo the end >&2', {
        stderrTailBytes: 1000,
      });
      const ending = await child.ended;
      expect(ending.stderr).toHaveLength(1000);
      expect(ending.stderr.endsWith('e'.repeat(50).concat('the end\n'))).toBe(true);
    });

    it('stderr is complete up to the exit', async () => {
      for (let round = 0; round < 30; round += 1) {
        const child = shell('head -c 60000 /dev/zero | tr "\\0" e >&2; echo last >&2');
        const { stderr } = await child.ended;
        expect([stderr.length, stderr.slice(-5)]).toEqual([60_005, 'last\n']);
      }
    });

    it('`onStderr` receives stderr while the process runs', async () => {
      const child = shell('echo one >&2; read line; echo two >&2');
      const heard: string[] = [];
      child.onStderr((chunk) => heard.push(Buffer.from(chunk).toString()));
      await until(() => heard.join('') === 'one\n', 'first line');
      expect(child.stderrTail()).toBe('one\n');
      child.write('go\n');
      await child.ended;
      expect(heard.join('')).toBe('one\ntwo\n');
    });

    it('a grandchild that holds stderr open does not delay `ended`', async () => {
      const child = shell('sleep 600 >/dev/null & echo said >&2', { drainMs: 20_000 });
      const ending = await Promise.race([child.ended, sleep(10_000)]);
      expect(ending).toMatchObject({ cause: 'exit', stderr: 'said\n' });
    });
  });

  describe('stdout', () => {
    it('a slow reader of stdout slows the process instead of filling the host', async () => {
      const child = shell('yes', { killGraceMs: 0 });
      child.stdout?.pause();
      await until(() => (child.stdout?.readableLength ?? 0) >= 65_536, 'buffer full');
      await sleep(300);
      expect(child.stdout?.readableLength).toBeLessThan(MIB);
      child.stop('cancel');
      await child.ended;
    });
  });
}
