import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { temporaryDirectory } from '@plugboard/testkit';
import type { Said } from './world.ts';

const PROGRAM = join(import.meta.dirname, '../bin/nib.js');
const NOVEL = join(import.meta.dirname, '../../../examples/novel');

/** How the program is started. */
export interface Start {
  readonly cwd?: string;
  readonly variables?: Readonly<Record<string, string>>;
}

/** A copy of the sample novel, and the real program to use on it. */
export interface Novel extends Disposable {
  readonly root: string;
  nib(line: string | readonly string[], start?: Start): Promise<Said>;
  /** Puts a shell script on the program's path. */
  tool(name: string, script: string): void;
}

/** Copies the sample novel to a directory of its own, whose path has a space and letters beyond ASCII. */
export function novel(): Novel {
  const directory = temporaryDirectory();
  const root = join(directory.path, 'my nóvel ✒');
  const tools = join(directory.path, 'tools');
  cpSync(NOVEL, root, { recursive: true });
  mkdirSync(tools);
  return {
    root,
    nib: (line, { cwd = root, variables = {} } = {}) => {
      const path = `${tools}${delimiter}${process.env.PATH}`;
      const env = { PATH: path, HOME: directory.path, PWD: cwd, GIT_CONFIG_NOSYSTEM: '1', ...variables };
      return run(typeof line === 'string' ? line.split(' ') : line, cwd, env);
    },
    tool: (name, script) => {
      writeFileSync(join(tools, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(tools, name), 0o755);
    },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

async function run(
  argv: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<Said> {
  const child = spawn(process.execPath, [PROGRAM, ...argv], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.err += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code: code ?? -1, ...said };
}
