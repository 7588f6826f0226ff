import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, 'transcripts');

/** The files of one case, by name; absent files are undefined. */
export interface Transcript {
  readonly name: string;
  readonly about: string;
  text(file: string): string | undefined;
  json<T>(file: string): T | undefined;
  ndjson<T>(file: string): T[] | undefined;
}

/** All cases of one dialect. */
export function transcripts(dialect: string): Transcript[] {
  const root = join(ROOT, dialect);
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
    ndjson: (file) =>
      text(file)
        ?.split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => JSON.parse(line)),
  };
}
