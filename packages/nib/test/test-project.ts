import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { temporaryDirectory } from '@plugboard/testkit';
import type { Env } from '../src/env.ts';
import { type Hooks, runProgram } from '../src/program.ts';
import { createKeyboard } from '../src/terminal/keyboard.ts';
import { runChild } from '../src/terminal/run-child.ts';

/** The output and exit code of a command. */
export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Options of one command. */
export interface CommandOptions {
  /** The input typed at the terminal; stdin is no terminal without it. */
  readonly typed?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly hooks?: Hooks;
  readonly screen?: Partial<Env['screen']>;
  readonly onStop?: Env['onStop'];
  /** Called with each text for stderr at once. */
  readonly onErr?: (text: string) => void;
}

/** A directory with files in which nib commands run inside this process. */
export interface TestProject extends Disposable {
  readonly root: string;
  nib(line: string | readonly string[], circumstances?: CommandOptions): Promise<CommandResult>;
  write(path: string, text: string): void;
  read(path: string): string;
}

export const BOOK = `title: The Test
author: A. Tester
---
book:
  base_dir: scenes
  chapters:
    - scenes:
        - dawn # opens the book
        - noon
    - name: The Ferry
      scenes:
        - dusk
    - interlude: true
      subdir: between
      scenes:
        - letter
    - name: Planned
`;

/** Creates a small project; `files` adds or replaces files. */
export function createTestProject(files: Readonly<Record<string, string>> = {}): TestProject {
  const directory = temporaryDirectory();
  const root = directory.path;
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const usual = {
    'book.yaml': BOOK,
    'scenes/dawn.md': 'The mill stood still.\nAda had grey eyes.\n',
    'scenes/noon.md': 'Noon came. The Mill turned.\n',
    'scenes/dusk.md': 'The ferry left at dusk.\n',
    'scenes/between/letter.md': 'Dear Bo,\n\nthe mill is sold.\n',
  };
  for (const [path, text] of Object.entries({ ...usual, ...files })) write(path, text);
  return {
    root,
    write,
    read: (path) => readFileSync(join(root, path), 'utf8'),
    nib: (line, circumstances = {}) => runIn(root, line, circumstances),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

async function runIn(
  root: string,
  line: string | readonly string[],
  given: CommandOptions,
): Promise<CommandResult> {
  const said = { out: '', err: '' };
  const variables = { PATH: process.env.PATH ?? '', HOME: root, ...given.variables };
  const input = new PassThrough();
  input.end(given.typed ?? '');
  const env: Env = {
    cwd: given.cwd ?? root,
    variables,
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
      given.onErr?.(text);
    },
    keyboard: createKeyboard(input, given.typed !== undefined),
    screen: { out: false, err: false, columns: () => 80, ...given.screen },
    now: () => Date.UTC(2026, 0, 2, 3, 4, 5),
    onStop: given.onStop ?? (() => () => {}),
    run: (argv, options) => runChild(argv, options, variables),
  };
  const argv = typeof line === 'string' ? line.split(' ') : line;
  const code = await (given.hooks === undefined ? runProgram(argv, env) : runProgram(argv, env, given.hooks));
  return { code, ...said };
}
