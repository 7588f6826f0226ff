import { describe, expect, it } from 'vitest';
import { collectOutput, createTag, onLinux, PATH, shell, start, until } from '../processes.ts';

/** Tests of the start and the ending of a process. */
export function endingSuite(): void {
  describe('how a process ended', () => {
    it.each([0, 3])('reports an exit code of %i unchanged', async (code) => {
      const child = shell(`echo out; echo err >&2; exit ${code}`);
      const output = collectOutput(child);
      const ending = await child.ended;
      expect(ending).toMatchObject({ cause: 'exit', code, signal: null, exitCode: code, stderr: 'err\n' });
      expect(ending.durationMs).toBeGreaterThan(0);
      expect(ending).not.toHaveProperty('failure');
      expect(output.text()).toBe('out\n');
    });

    it('reports a death by a signal as 128 plus its number', async () => {
      const child = shell('kill -KILL $$');
      await expect(child.ended).resolves.toMatchObject({
        cause: 'signal',
        code: null,
        signal: 'SIGKILL',
        exitCode: 137,
      });
    });

    it('`ended` settles without a reader when the process has written nothing', async () => {
      await expect(shell('exit 0').ended).resolves.toMatchObject({ cause: 'exit', code: 0 });
    });

    it('a process that closes stdout has not ended', async () => {
      const child = shell('exec 1>&-; sleep 0.5; exit 7');
      collectOutput(child);
      const ending = await child.ended;
      expect(ending).toMatchObject({ cause: 'exit', exitCode: 7 });
      expect(ending.durationMs).toBeGreaterThan(400);
    });

    it('the first cause stands when the process exits by itself after a stop', async () => {
      const child = shell('trap "exit 0" TERM; echo up; while :; do sleep 0.05; done');
      const output = collectOutput(child);
      await until(() => output.text() !== '', 'started');
      child.stop('limit');
      child.stop('cancel');
      await expect(child.ended).resolves.toMatchObject({ cause: 'limit', code: 0, exitCode: 1 });
      child.stop('timeout');
      await expect(child.ended).resolves.toMatchObject({ cause: 'limit' });
    });
  });

  describe('the environment and directory of a process', () => {
    it('the environment of a process holds exactly `env` and the mark', async () => {
      const child = start({ file: 'env', args: [], env: { PATH, A: 'b c' }, cwd: '/' });
      const output = collectOutput(child);
      await child.ended;
      const names = output
        .text()
        .trim()
        .split('\n')
        .map((line) => line.split('=')[0]);
      expect(names.sort()).toEqual(['A', 'PATH', 'PLUGBOARD_PROCESS']);
      expect(output.text()).toContain('A=b c\n');
    });

    it('a process keeps the mark of the host above in front of its own', async () => {
      const child = shell('echo $PLUGBOARD_PROCESS', {}, { env: { PATH, PLUGBOARD_PROCESS: 'above' } });
      const output = collectOutput(child);
      await child.ended;
      expect(output.text()).toMatch(/^above,[0-9a-f]{44}\n$/);
    });

    it('a process starts in the given directory', async () => {
      const child = shell('pwd', {}, { cwd: '/usr' });
      const output = collectOutput(child);
      await child.ended;
      expect(output.text()).toBe('/usr\n');
    });
  });

  describe('a process on our own terminal', () => {
    it('a process on our terminal has no pipes and stays in our process group', async () => {
      const child = shell(
        'test "$(ps -o pgid= -p $$)" = "$(ps -o pgid= -p $PPID)"',
        {},
        { stdio: 'inherit' },
      );
      expect(child.stdout).toBeNull();
      expect(child.write('lost')).toBe(true);
      await expect(child.ended).resolves.toMatchObject({ cause: 'exit', code: 0, stderr: '' });
    });

    it('a stop of a process on our terminal signals that process alone', async () => {
      const child = shell('exec sleep 60', {}, { stdio: 'inherit' });
      child.stop('cancel');
      await expect(child.ended).resolves.toMatchObject({ cause: 'cancel', signal: 'SIGTERM', exitCode: 130 });
    });
  });

  describe.runIf(onLinux)('many processes', () => {
    it('many processes leave no file descriptor, no listener and no process behind', async () => {
      const { readdirSync } = await import('node:fs');
      const open = (): number => readdirSync('/proc/self/fd').length;
      const tag = createTag();
      const round = async (): Promise<void> => {
        const child = shell('cat; echo e >&2', {}, { env: tag.env });
        collectOutput(child);
        child.write('x');
        child.closeInput();
        await child.ended;
      };
      for (let warm = 0; warm < 5; warm += 1) await round();
      const before = open();
      for (let count = 0; count < 100; count += 1) await round();
      await until(() => open() <= before, 'descriptors closed', 5000);
      expect(tag.living()).toEqual([]);
    });
  });
}
