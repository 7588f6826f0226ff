import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { builtCommand, killProcessesWith, temporaryDirectory, until } from '@plugboard/testkit';
import { afterAll } from 'vitest';

/** The exit of a program and its output. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that is running. */
export interface Running {
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  type(text: string): void;
  /** Waits until stdout contains `text`. */
  printed(text: string): Promise<void>;
  readonly done: Promise<ProgramEnd>;
}

/** Starts a program; with the input `null` stdin stays open. */
export function startProgram(
  argv: readonly string[],
  options: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly input?: string | null;
  },
): Running {
  const [file = '', ...args] = argv;
  const child = spawn(file, args, { cwd: options.cwd, env: options.env });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said.stderr += text;
  });
  child.stdin.on('error', () => {});
  if (options.input !== null) child.stdin.end(options.input ?? '');
  return {
    child,
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    type: (text) => void child.stdin.write(text),
    printed: (text) => until(() => said.stdout.includes(text), `${text} in ${JSON.stringify(said)}`, 15_000),
    done: once(child, 'close').then(([code]) => ({ code, ...said })),
  };
}

/** The path of a backend's launcher. */
export function getLauncher(name: string): string {
  return builtCommand('nib', name);
}

/** A small novel in a directory that `using` deletes, after it has ended the backends and all that they have started. */
export interface Novel extends Disposable {
  readonly root: string;
  write(path: string, text: string): string;
  /** The environment of a backend, with its own home and state directories. */
  readonly env: Readonly<Record<string, string>>;
}

const FILES = {
  'book/book.yaml': 'title: T\n---\nbook:\n  base_dir: scenes\n  chapters:\n    - scenes: [dawn, noon]\n',
  'book/STYLE.md': 'British spelling.\n',
  'book/scenes/dawn.md': 'Ada locks the the door. The mill is silent.\n',
  'book/scenes/noon.md': 'Bo waits at the mill.\n',
  'book/characters/ada.yaml': 'name: Ada\n',
  'book/storydb/scenes.csv': 'scene,pov\ndawn,ada\n',
};

/** The directories of novels that no test has disposed of. The environment of all programs names its own. */
const open = new Set<string>();

/** Ends what a test has left that ran out of time: it never leaves the scope of its `using`. */
export function endForgotten(): void {
  for (const path of open) killProcessesWith(path);
  open.clear();
}
afterAll(endForgotten);

export function novel(): Novel {
  const directory = temporaryDirectory();
  const write = (path: string, text: string): string => {
    const file = join(directory.path, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  for (const [path, text] of Object.entries(FILES)) write(path, text);
  open.add(directory.path);
  return {
    root: join(directory.path, 'book'),
    write,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: directory.path,
      XDG_STATE_HOME: join(directory.path, 'state'),
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
    },
    [Symbol.dispose]() {
      killProcessesWith(directory.path);
      open.delete(directory.path);
      directory[Symbol.dispose]();
    },
  };
}
