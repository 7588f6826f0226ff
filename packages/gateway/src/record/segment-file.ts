import { readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A file of recordings, one to a line. */
export interface Segment {
  readonly file: string;
  readonly turns: Set<string>;
  /** Its last line was cut off: what is added would become part of it. */
  cut: boolean;
}

/** What a file is called until it takes the place of another. */
const NEXT = '.next';

/** The id stands first in every line, so that the rest need not be read. */
export function turnOf(line: string): string | undefined {
  return /^\{"turnId":"([\w-]+)"/.exec(line)?.[1];
}

/** The files of a directory, oldest first; when nothing is to be kept, they go. */
export function loadSegments(directory: string, kept: boolean): Segment[] {
  const files = filesOf(directory);
  for (const file of files) if (!kept || file.endsWith(NEXT)) rmSync(file, { force: true });
  return kept ? files.filter((file) => !file.endsWith(NEXT)).map(load) : [];
}

function filesOf(directory: string): string[] {
  try {
    const names = readdirSync(directory).filter((name) => /\.jsonl(\.next)?$/.test(name));
    return names.sort().map((name) => join(directory, name));
  } catch {
    return [];
  }
}

/** Half a line, left by a crash, can be read by nobody, and must not outlive the session it belongs to. */
function load(file: string): Segment {
  const bytes = readFileSync(file);
  const whole = bytes.lastIndexOf('\n') + 1;
  if (whole < bytes.length) truncateSync(file, whole);
  const lines = bytes.toString('utf8', 0, whole).split('\n');
  return { file, turns: new Set(lines.map(turnOf).filter((id) => id !== undefined)), cut: false };
}

/**
 * Leaves in a file only the recordings that its segment still has. The file is replaced as a whole: a crash leaves the one
 * or the other. Whatever was cut off goes too.
 */
export async function strip({ file, turns }: Segment): Promise<void> {
  if (turns.size === 0) return rm(file, { force: true });
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').slice(0, -1);
  const kept = lines.filter((line) => turns.has(turnOf(line) ?? '') && isWhole(line));
  const next = `${file}${NEXT}`;
  try {
    await writeFile(next, kept.map((line) => `${line}\n`).join(''), { mode: 0o600, flush: true });
    await rename(next, file);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
}

/** A line that was cut off may have another one in it. */
function isWhole(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
