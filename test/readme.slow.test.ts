import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, '.cache', `tour-${process.pid}`);

interface Step {
  readonly command: string;
  readonly output: string;
}

/** The commands of the tour with all that they print: `…` stands for anything on a line, alone on a line for any lines. */
function steps(): Step[] {
  const text = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const blocks = [...text.matchAll(/```console\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((step) => {
        const end = step.indexOf('\n');
        return { command: step.slice(0, end), output: step.slice(end + 1) };
      }),
  );
}

function pattern(output: string): RegExp {
  const lines = output.split('\n').map((line) => {
    const escaped = line.split('…').map((part) => RegExp.escape(part));
    return line === '…' ? '[^]*' : escaped.join('.*');
  });
  return new RegExp(`^${lines.join('\n')}$`, 'u');
}

/** `npx` takes half a second to find a program that is installed: after the first step, this stands for it. */
const NPX = '#!/bin/sh\nexec "$@"\n';

describe('the tour in the README', () => {
  const bin = join(FOLDER, '.bin');
  mkdirSync(bin, { recursive: true });
  afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));
  const all = steps();

  it('has steps', () => expect(all.length).toBeGreaterThan(8));

  it.each(all)('$command', ({ command, output }) => {
    const path = `${bin}:${join(ROOT, 'node_modules', '.bin')}:${process.env.PATH}`;
    const env = { ...process.env, PATH: path, PLUGBOARD_HOME: join(FOLDER, 'state'), NO_COLOR: '1' };
    // As a person sees it: both streams, in the order in which they were written.
    const done = spawnSync('/bin/sh', ['-c', `{ ${command}\n} 2>&1`], { cwd: FOLDER, env, encoding: 'utf8' });
    // Some answers end without a line end, which a prompt follows on a screen.
    expect(done.stdout.replace(/(?<=[^\n])$/, '\n')).toMatch(pattern(output));
    expect(done.status).toBe(0);
    if (!command.includes('npx ')) return;
    writeFileSync(join(bin, 'npx'), NPX);
    chmodSync(join(bin, 'npx'), 0o755);
  });
});
