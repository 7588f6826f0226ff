import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { builtCommand, temporaryDirectory } from '@plugboard/testkit';
import type { CommandResult } from './test-project.ts';

export const PROGRAM: string = builtCommand('nib', 'nib');
const NOVEL = join(import.meta.dirname, '../../../examples/novel');

/** Options of a run of nib. */
export interface Start {
  readonly cwd?: string;
  readonly variables?: Readonly<Record<string, string>>;
}

/** A copy of the sample novel, with the real nib to run on it. */
export interface Novel extends Disposable {
  readonly root: string;
  nib(line: string | readonly string[], start?: Start): Promise<CommandResult>;
  /** The environment variables of nib. */
  readonly environment: Readonly<Record<string, string>>;
  /** Writes a script to the PATH of nib; without a first line `#!` for the shell. */
  tool(name: string, script: string): void;
}

/** Copies the sample novel to a temporary directory, whose path has a space and non-ASCII letters. */
export function copyNovel(): Novel {
  const directory = temporaryDirectory();
  const root = join(directory.path, 'my nóvel ✒');
  const tools = join(directory.path, 'tools');
  cpSync(NOVEL, root, { recursive: true });
  mkdirSync(tools);
  const environment = {
    PATH: `${tools}${delimiter}${process.env.PATH}`,
    HOME: directory.path,
    GIT_CONFIG_NOSYSTEM: '1',
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
  };
  return {
    root,
    environment,
    nib: (line, { cwd = root, variables = {} } = {}) => {
      return run(wordsOf(line), cwd, { ...environment, PWD: cwd, ...variables });
    },
    tool: (name, script) => {
      writeFileSync(join(tools, name), script.startsWith('#!') ? script : `#!/bin/sh\n${script}\n`);
      chmodSync(join(tools, name), 0o755);
    },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

/** Runs nib, and then `afterwards`, in a pseudo-terminal with typed input; returns the whole output of the screen. */
export async function runInTerminal(
  book: Novel,
  line: string,
  variables: Readonly<Record<string, string>>,
  afterwards = '',
  sit: (type: (keys: string) => void, seen: () => string) => Promise<void> = async () => {},
): Promise<string> {
  const command = [process.execPath, PROGRAM, ...wordsOf(line)].map((word) => `'${word}'`).join(' ');
  const env = { ...book.environment, TERM: 'xterm', PWD: book.root, SHELL: '/bin/sh', ...variables };
  const child = spawn('script', ['-qfec', `trap : INT; ${command}${afterwards}`, '/dev/null'], {
    cwd: book.root,
    env,
  });
  let seen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    seen += text;
  });
  const closed = once(child, 'close');
  try {
    await sit(
      (keys) => void child.stdin.write(keys),
      () => seen,
    );
    await closed;
  } finally {
    child.kill('SIGKILL');
  }
  return seen;
}

function wordsOf(line: string | readonly string[]): readonly string[] {
  return typeof line === 'string' ? line.split(' ') : line;
}

async function run(
  argv: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<CommandResult> {
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
