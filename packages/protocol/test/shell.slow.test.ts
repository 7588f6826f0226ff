import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fillMessage } from '../src/dialects/terminal/command.ts';
import { SAFE } from './shell-templates.ts';

/** Texts that run a command as soon as one mark of the quoting around them is lost. */
const TEXTS = [
  '; touch pwned #',
  '$(touch pwned)',
  '`touch pwned`',
  "'; touch pwned; '",
  '"; touch pwned; "',
  "\\'; touch pwned #",
  'a\ntouch pwned\n',
  '}; touch pwned; #',
  '); touch pwned; (',
  'x[$(touch pwned)]',
];

const SHELLS = ['/bin/sh', '/bin/bash'].filter((shell) => existsSync(shell));

const directory = mkdtempSync(join(tmpdir(), 'plugboard-shell-'));
afterAll(() => rmSync(directory, { recursive: true }));

describe.each(SHELLS)('%s', (shell) => {
  it.each(SAFE)('runs nothing that a text says: %j', (template) => {
    for (const text of TEXTS) {
      const filled = fillMessage({ shell: template }, text);
      if (!('shell' in filled)) throw new Error(`${template} is refused.`);
      spawnSync(shell, ['-c', filled.shell], { cwd: directory, stdio: 'ignore', timeout: 10_000 });
      expect(existsSync(join(directory, 'pwned')), filled.shell).toBe(false);
    }
  });

  it.each(TEXTS)('gives %j to the command as it is', (text) => {
    const filled = fillMessage({ shell: 'printf %s {message}' }, text);
    if (!('shell' in filled)) throw new Error('The template is refused.');
    const { stdout } = spawnSync(shell, ['-c', filled.shell], { encoding: 'utf8', timeout: 10_000 });
    expect(stdout).toBe(text.trim());
  });
});
