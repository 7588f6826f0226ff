import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Act, Recording, Trigger } from './script.ts';

const PROGRAM = fileURLToPath(new URL('../scripted/agent.mjs', import.meta.url));

/** An executable that starts the scripted agent with its script. */
export interface Wrapper {
  /** An executable that takes no arguments. */
  readonly path: string;
  /** Goes into `PATH` of nib hosts, which look for `nib-agent-check`. */
  readonly directory: string;
  /** `undefined` if the host never started the agent. */
  recording(): Recording | undefined;
}

/** Writes the executable, its script and its recording into `directory`. */
export function createWrapper(directory: string, trigger: Trigger, play: readonly Act[]): Wrapper {
  mkdirSync(directory, { recursive: true });
  const script = join(directory, 'script.json');
  const record = join(directory, 'record.json');
  const path = join(directory, 'nib-agent-check');
  rmSync(record, { force: true });
  writeFileSync(script, JSON.stringify({ record, trigger, play }));
  const line = ['exec', process.execPath, PROGRAM, script].map((word, at) =>
    at === 0 ? word : quoteWord(word),
  );
  writeFileSync(path, `#!/bin/sh\n${line.join(' ')} "$@"\n`, { mode: 0o755 });
  return { path, directory, recording: () => readRecording(record) };
}

function quoteWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function readRecording(file: string): Recording | undefined {
  if (!existsSync(file)) return undefined;
  const recording = JSON.parse(readFileSync(file, 'utf8')) as Recording;
  return { ...recording, stdin: Buffer.from(recording.stdin, 'base64').toString('utf8') };
}
