import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Command } from '../../src/command.ts';
import type { Ending } from '../../src/ending.ts';
import { ENVIRONMENT_VALUE_LIMIT } from '../../src/environment.ts';
import { collectOutput, isLimited, kind, onLinux, PATH, shell, start } from '../processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'process-failure-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string, mode: number): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}
const plain = file('plain', 'text', 0o644);
const returned = file('returned', '#!/bin/sh\r\necho hi\r\n', 0o755);
const orphan = file('orphan', '#!/no/such/interpreter -x\n', 0o755);
mkdirSync(join(folder, 'sub'));

const run = (command: Partial<Command>): Promise<Ending> =>
  start({ file: 'true', args: [], env: { PATH }, ...command }).ended;

const cases: Array<[string, Partial<Command>, string, number, string]> = [
  ['a command that is not on the PATH', { file: 'no-such-command' }, 'not-found', 127, 'no-such-command'],
  ['a file of the folder it starts in', { file: 'plain', cwd: folder }, 'not-found', 127, '"./plain"'],
  ['a path that does not exist', { file: '/no/such/file' }, 'not-found', 127, '/no/such/file'],
  ['a path through a file', { file: `${plain}/x` }, 'not-found', 127, 'plain/x'],
  ['an empty command', { file: '' }, 'not-found', 127, 'empty'],
  ['a file without the permission to run', { file: plain }, 'not-executable', 126, 'chmod'],
  ['such a file on the PATH', { file: 'plain', env: { PATH: folder } }, 'not-executable', 126, plain],
  ['a directory', { file: folder }, 'not-executable', 126, 'is a directory'],
  ['a script without its interpreter', { file: orphan }, 'bad-interpreter', 126, '/no/such/interpreter'],
  ['a script with CRLF', { file: returned }, 'bad-interpreter', 126, 'ends in a carriage return'],
  ['such a script, relative', { file: './orphan', cwd: folder }, 'bad-interpreter', 126, orphan],
  ['a working directory that is missing', { cwd: '/no/such/dir' }, 'cwd-missing', 2, '/no/such/dir'],
  ['a working directory that is a file', { cwd: plain }, 'cwd-not-directory', 2, plain],
  ['both missing', { cwd: '/no/such/dir', file: 'no-such-command' }, 'cwd-missing', 2, '/no/such/dir'],
  ['a zero byte in an argument', { args: ['fine', 'a\0b'] }, 'nul', 2, 'Argument 2'],
  ['a zero byte in a variable', { env: { PATH, SECRET: 'hush\0' } }, 'nul', 2, 'SECRET'],
  ['a zero byte in the directory', { cwd: '/\0' }, 'nul', 2, 'working directory'],
  ['a zero byte in the name', { file: 'tr\0ue' }, 'nul', 2, 'The name'],
  ['a huge total', { args: Array(60).fill('x'.repeat(131_000)) }, 'too-long', 126, 'together'],
];

/** Tests of `SpawnFailure.code`. */
export function failureSuite(): void {
  describe('a process that does not start', () => {
    it.each(cases)('%s', async (_, command, code, exitCode, part) => {
      const ending = await run(command);
      expect(ending).toMatchObject({ cause: 'spawn', code: null, signal: null, exitCode, stderr: '' });
      expect(ending.failure).toMatchObject({ code, exitCode });
      expect(ending.failure?.message).toContain(part);
      expect(ending.failure?.message).not.toContain('hush');
    });

    it('a process that did not start answers every call without effect', async ({ skip }) => {
      // With limits the shell does start, and may be stopped before it fails.
      skip(isLimited());
      const child = start({ file: '/no/such/file', args: [], env: {} });
      expect([child.pid(), child.pendingInput()]).toEqual([undefined, 0]);
      // With a helper stdout exists until the failure is reported, and ends empty.
      if (kind() === 'direct') expect(child.stdout).toBeNull();
      else collectOutput(child);
      expect(child.write('x')).toBe(true);
      child.closeInput();
      child.onStderr(() => {});
      child.stop('timeout');
      expect(child.stderrTail()).toBe('');
      await expect(child.ended).resolves.toMatchObject({ cause: 'spawn' });
    });

    it('a start that fails for want of file descriptors says so', async () => {
      const fixture = new URL('../fixtures/starved.ts', import.meta.url).pathname;
      const child = shell(`ulimit -n 64; exec '${process.execPath}' '${fixture}' ${kind()}`);
      const output = collectOutput(child);
      await child.ended;
      expect(JSON.parse(output.text())).toMatchObject({ cause: 'spawn', failure: { code: 'resources' } });
    });
  });

  describe.runIf(onLinux)('the longest environment value', () => {
    const env = (bytes: number) => ({ PATH, M: 'x'.repeat(bytes - 2) });

    it('an environment variable of exactly the longest size is delivered', async () => {
      const child = shell('printf %s "$M"', {}, { env: env(ENVIRONMENT_VALUE_LIMIT) });
      const output = collectOutput(child);
      await expect(child.ended).resolves.toMatchObject({ cause: 'exit', code: 0 });
      expect(output.text()).toHaveLength(ENVIRONMENT_VALUE_LIMIT - 2);
    });

    it('an environment variable one byte too long is refused by name', async () => {
      const ending = await run({ env: env(ENVIRONMENT_VALUE_LIMIT + 1) });
      expect(ending.failure?.code).toBe('too-long');
      expect(ending.failure?.message).toMatch(/variable "M".*131071 bytes/);
    });

    it('the size of an environment variable is counted in bytes, not in characters', async () => {
      const ending = await run({ env: { PATH, M: 'ä'.repeat(65_535) } });
      expect(ending.failure?.code).toBe('too-long');
      await expect(run({ env: { PATH, M: 'ä'.repeat(65_534) } })).resolves.toMatchObject({ cause: 'exit' });
    });

    it('the longest size of an argument is that of an environment variable', async () => {
      await expect(run({ args: ['x'.repeat(ENVIRONMENT_VALUE_LIMIT)] })).resolves.toMatchObject({ code: 0 });
      const ending = await run({ args: ['x'.repeat(ENVIRONMENT_VALUE_LIMIT + 1)] });
      expect(ending.failure).toMatchObject({ code: 'too-long' });
    });
  });
}
