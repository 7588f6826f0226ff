import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = join(import.meta.dirname, 'transcripts');

/** The files of one case, by name; absent files are undefined. */
export interface Transcript {
  readonly name: string;
  readonly about: string;
  text(file: string): string | undefined;
  json<T>(file: string): T | undefined;
  ndjson<T>(file: string): T[] | undefined;
  write(file: string, entries: readonly object[]): void;
  writeText(file: string, text: string): void;
}

/** All cases of one dialect, by its folder below `transcripts`, or by an absolute path. */
export function transcripts(folder: string): Transcript[] {
  const root = resolve(ROOT, folder);
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => openTranscript(entry.name, join(root, entry.name)));
}

function openTranscript(name: string, folder: string): Transcript {
  const text = (file: string): string | undefined => {
    const path = join(folder, file);
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  };
  const parse = <T>(source: string | undefined): T | undefined =>
    source === undefined ? undefined : (JSON.parse(source) as T);
  return {
    name,
    about: (text('about.txt') ?? '').trim(),
    text,
    json: (file) => parse(text(file)),
    write: (file, entries) =>
      writeFileSync(join(folder, file), entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')),
    writeText: (file, text) => writeFileSync(join(folder, file), text),
    ndjson: (file) =>
      text(file)
        ?.split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => JSON.parse(line)),
  };
}
