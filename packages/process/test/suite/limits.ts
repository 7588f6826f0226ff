import { describe, expect, it } from 'vitest';
import type { Child } from '../../src/child.ts';
import type { ResourceLimits } from '../../src/limits/resources.ts';
import { collectOutput, createTag, onLinux, PATH, shell, start, until } from '../processes.ts';

const MIB = 1024 ** 2;

function node(script: string, resources: ResourceLimits, env: Record<string, string> = { PATH }): Child {
  return start({ file: process.execPath, args: ['-e', script], env, resources });
}

const told = {
  cause: 'limit',
  failure: { code: 'memory', message: expect.stringContaining('used more than 64 MiB of memory') },
};

/** Allocates 2 MB at a time, with pauses in which `watchMemory` can run on a busy machine. */
const GROW = 'const held = []; setInterval(() => held.push(Buffer.alloc(2e6, 1)), 10);';

export function limitsSuite(): void {
  describe.runIf(onLinux)('a process with limits', () => {
    it('a process with limits gets the same arguments, environment and directory', async () => {
      const resources = { memoryBytes: 512 * MIB, processes: 100 };
      const child = start({
        file: 'sh',
        args: ['-c', 'cat; echo "$0 $1 $X"', 'a', 'b c'],
        env: { PATH, X: '7' },
        resources,
      });
      const output = collectOutput(child);
      child.closeInput('given\n');
      expect(await child.ended).toMatchObject({ cause: 'exit', code: 0, exitCode: 0 });
      expect(output.text()).toBe('given\na b c 7\n');
    });

    it('a Node program starts with a limit far below the memory that V8 reserves', async () => {
      const child = node('console.log("here")', { memoryBytes: 64 * MIB });
      const output = collectOutput(child);
      expect(await child.ended).toMatchObject({ cause: 'exit', code: 0 });
      expect(output.text()).toBe('here\n');
    });

    it('a process that exceeds its memory limit ends with the failure `memory`', async () => {
      const child = node(GROW, { memoryBytes: 64 * MIB });
      collectOutput(child);
      expect(await child.ended).toMatchObject({ ...told, signal: 'SIGKILL', exitCode: 137 });
    });

    it('the memory of children counts towards the limit of a process', async () => {
      const { env, living } = createTag();
      const script = `"${process.execPath}" -e '${GROW}' & wait`;
      const child = shell(script, {}, { env, resources: { memoryBytes: 64 * MIB } });
      collectOutput(child);
      expect(await child.ended).toMatchObject(told);
      await until(() => living().length === 0, 'its child is gone');
    });

    it('a fast allocation is stopped between two measurements', async () => {
      const child = node('Buffer.alloc(4e9)', { memoryBytes: 64 * MIB });
      collectOutput(child);
      expect(await child.ended).toMatchObject({ ...told, code: expect.any(Number) });
    });

    it('a process with limits that fails otherwise does not report `memory`', async () => {
      const child = shell('echo no >&2; exit 3', {}, { resources: { memoryBytes: 64 * MIB } });
      collectOutput(child);
      const ending = await child.ended;
      expect(ending).toMatchObject({ cause: 'exit', code: 3, stderr: 'no\n' });
      expect(ending.failure).toBeUndefined();
    });

    it('a program with limits that exits with 127 itself is not reported as missing', async () => {
      const child = shell('exit 127', {}, { resources: { processes: 100 } });
      collectOutput(child);
      expect(await child.ended).toMatchObject({ cause: 'exit', code: 127 });
    });
  });
}
