import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Act, Recording, Trigger } from './script.ts';

const PROGRAM = fileURLToPath(new URL('../scripted/agent.mjs', import.meta.url));

/** A scripted agent, ready to be started by a host. */
export interface Wrapper {
  /** An executable that takes no arguments. */
  readonly path: string;
  /** The directory in which it is called `nib-agent-check`. */
  readonly directory: string;
  /** What it has written down; undefined when nobody has started it. */
  recording(): Recording | undefined;
}

/** Writes an executable that plays a script; everything it needs is in its own directory. */
export function createWrapper(directory: string, trigger: Trigger, play: readonly Act[]): Wrapper {
  mkdirSync(directory, { recursive: true });
  const script = join(directory, 'script.json');
  const record = join(directory, 'record.json');
  const path = join(directory, 'nib-agent-check');
  rmSync(record, { force: true });
  writeFileSync(script, JSON.stringify({ record, trigger, play }));
  const line = ['exec', process.execPath, PROGRAM, script].map((word, at) =>
    at === 0 ? word : quoted(word),
  );
  writeFileSync(path, `#!/bin/sh\n${line.join(' ')} "$@"\n`, { mode: 0o755 });
  return { path, directory, recording: () => readRecording(record) };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function readRecording(file: string): Recording | undefined {
  if (!existsSync(file)) return undefined;
  const recording = JSON.parse(readFileSync(file, 'utf8')) as Recording;
  return { ...recording, stdin: Buffer.from(recording.stdin, 'base64').toString('utf8') };
}
