import { describe, expect, it } from 'vitest';
import type { Child, ResourceLimits } from '../../src/index.ts';
import { collect, createTag, onLinux, PATH, shell, start, until } from '../processes.ts';

const MIB = 1024 ** 2;

function node(script: string, resources: ResourceLimits, env: Record<string, string> = { PATH }): Child {
  return start({ file: process.execPath, args: ['-e', script], env, resources });
}

const told = {
  cause: 'limit',
  failure: { code: 'memory', message: expect.stringContaining('used more than 64 MiB of memory') },
};

/** Takes 2 MB at a time, with a pause in which it can be measured also where much else runs. */
const GROW = 'const held = []; setInterval(() => held.push(Buffer.alloc(2e6, 1)), 10);';

export function limitsSuite(): void {
  describe.runIf(onLinux)('a process with limits', () => {
    it('runs as without them, with what it was given', async () => {
      const resources = { memoryBytes: 512 * MIB, processes: 100 };
      const child = start({
        file: 'sh',
        args: ['-c', 'cat; echo "$0 $1 $X"', 'a', 'b c'],
        env: { PATH, X: '7' },
        resources,
      });
      const output = collect(child);
      child.closeInput('given\n');
      expect(await child.ended).toMatchObject({ cause: 'exit', code: 0, exitCode: 0 });
      expect(output.text()).toBe('given\na b c 7\n');
    });

    it('that is a program for Node starts within far less than V8 reserves', async () => {
      const child = node('console.log("here")', { memoryBytes: 64 * MIB });
      const output = collect(child);
      expect(await child.ended).toMatchObject({ cause: 'exit', code: 0 });
      expect(output.text()).toBe('here\n');
    });

    it('is ended for its memory, and that is told', async () => {
      const child = node(GROW, { memoryBytes: 64 * MIB });
      collect(child);
      expect(await child.ended).toMatchObject({ ...told, signal: 'SIGKILL', exitCode: 137 });
    });

    it('is ended for the memory of its children', async () => {
      const { env, living } = createTag();
      const script = `"${process.execPath}" -e '${GROW}' & wait`;
      const child = shell(script, {}, { env, resources: { memoryBytes: 64 * MIB } });
      collect(child);
      expect(await child.ended).toMatchObject(told);
      await until(() => living().length === 0, 'its child is gone');
    });

    it('cannot outrun the measuring', async () => {
      const child = node('Buffer.alloc(4e9)', { memoryBytes: 64 * MIB });
      collect(child);
      expect(await child.ended).toMatchObject({ ...told, code: expect.any(Number) });
    });

    it('that fails for another reason is not said to have taken memory', async () => {
      const child = shell('echo no >&2; exit 3', {}, { resources: { memoryBytes: 64 * MIB } });
      collect(child);
      const ending = await child.ended;
      expect(ending).toMatchObject({ cause: 'exit', code: 3, stderr: 'no\n' });
      expect(ending.failure).toBeUndefined();
    });

    it('that exits with 127 by itself was found', async () => {
      const child = shell('exit 127', {}, { resources: { processes: 100 } });
      collect(child);
      expect(await child.ended).toMatchObject({ cause: 'exit', code: 127 });
    });
  });
}
