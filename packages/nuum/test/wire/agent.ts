import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtCommand, onTestEnd, temporaryDirectory, until } from '@plugboard/testkit';

export const NUUM: string = builtCommand('nuum', 'nuum');

// biome-ignore lint/suspicious/noExplicitAny: a line of the wire is looked into by whoever expects it.
export type Line = any;

/** An agent process, as a host has it. */
export interface Agent {
  readonly child: ChildProcess;
  readonly directory: string;
  readonly lines: readonly Line[];
  stderr(): string;
  /** A line as it is. */
  raw(text: string | Buffer): void;
  say(content: unknown, more?: object): void;
  control(action: string): void;
  /** Waits for a line like this, from the `from`th on. */
  line(matches: (line: Line) => boolean, from?: number): Promise<Line>;
  /** Waits for so many results, and gives the last. */
  results(count: number): Promise<Line>;
  /** Ends its input, and waits for its end. */
  end(): Promise<{ code: number | null; signal: string | null }>;
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
}

/** A folder that is gone after the test. */
export function workplace(): string {
  const directory = temporaryDirectory();
  onTestEnd(() => directory[Symbol.dispose]());
  return directory.path;
}

export interface Started {
  /** A script for the model, or the address and name of one. */
  readonly script?: string;
  readonly model?: { readonly name: string; readonly baseUrl: string };
  readonly directory?: string;
  readonly db?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** What the process is told of the world. */
export function environment(directory: string, { model, env }: Started): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: directory,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
    ...(model === undefined
      ? {}
      : { NUUM_MODEL: model.name, NUUM_BASE_URL: model.baseUrl, NUUM_API_KEY: 'key-1' }),
    ...env,
  };
}

/** The arguments for a memory in the folder, and a script if there is one. */
export function argumentsFor(directory: string, { script, db, args = [] }: Started): string[] {
  const file = join(directory, 'script.yaml');
  if (script !== undefined) writeFileSync(file, script);
  return [
    '--db',
    db ?? join(directory, 'memory.db'),
    ...(script === undefined ? [] : ['--model', `script:${file}`]),
    ...args,
  ];
}

/** Starts `nuum --stdio`; resolves when it has said its first line. */
export async function start(started: Started = {}): Promise<Agent> {
  const agent = launch(started);
  await agent.line(() => true);
  return agent;
}

/** Starts `nuum --stdio` and waits for nothing. */
export function launch(started: Started = {}): Agent {
  const directory = started.directory ?? workplace();
  const child = spawn(process.execPath, [NUUM, '--stdio', ...argumentsFor(directory, started)], {
    cwd: directory,
    env: environment(directory, started),
  });
  onTestEnd(() => void child.kill('SIGKILL'));
  const lines: Line[] = [];
  let rest = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts.map((part) => JSON.parse(part)));
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  child.stdin.on('error', () => {});
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  const write = (value: object): void => void child.stdin.write(`${JSON.stringify(value)}\n`);
  const line = async (matches: (line: Line) => boolean, from = 0): Promise<Line> => {
    await until(
      () => lines.slice(from).some(matches),
      `a line; so far ${JSON.stringify(lines)} ${errors}`,
      15_000,
    );
    return lines.slice(from).find(matches);
  };
  return {
    child,
    directory,
    lines,
    stderr: () => errors,
    raw: (text) => void child.stdin.write(text),
    say: (content, more = {}) => write({ type: 'user', message: { role: 'user', content }, ...more }),
    control: (action) => write({ type: 'control', action }),
    line,
    async results(count) {
      await until(
        () => lines.filter(isResult).length >= count,
        `${count} results; so far ${JSON.stringify(lines)} ${errors}`,
        15_000,
      );
      return lines.filter(isResult)[count - 1];
    },
    end() {
      child.stdin.end();
      return ended;
    },
    ended,
  };
}

export function isResult({ type }: Line): boolean {
  return type === 'result';
}

export const isSystem =
  (subtype: string) =>
  (line: Line): boolean =>
    line.type === 'system' && line.subtype === subtype;

/** The texts that the agent has said, in order. */
export function textsOf(lines: readonly Line[]): string[] {
  return lines.flatMap((line) =>
    line.type === 'assistant'
      ? line.message.content.flatMap((block: Line) => (block.type === 'text' ? [block.text] : []))
      : [],
  );
}

/** What happened, in a word each. */
export function outline(lines: readonly Line[]): string[] {
  return lines.map((line) => {
    if (line.type === 'assistant') return line.message.content[0].type;
    return line.type === 'result' ? `result ${line.subtype}` : line.subtype;
  });
}
