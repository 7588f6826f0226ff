import { readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A JSONL file of recordings. */
export interface Segment {
  readonly file: string;
  readonly turns: Set<string>;
  /** Whether the last line is incomplete: an appended recording would become part of it. */
  cut: boolean;
}

/** Suffix of a file that is written before it replaces a segment. */
const NEXT = '.next';

/** `turnId` is the first field of each line, so that the rest need not be parsed. */
export function turnOf(line: string): string | undefined {
  return /^\{"turnId":"([\w-]+)"/.exec(line)?.[1];
}

/** Segments of a directory, oldest first. Deletes the files when `kept` is false. */
export function loadSegments(directory: string, kept: boolean): Segment[] {
  const files = filesOf(directory);
  for (const file of files) if (!kept || file.endsWith(NEXT)) rmSync(file, { force: true });
  return kept ? files.filter((file) => !file.endsWith(NEXT)).map(loadSegment) : [];
}

function filesOf(directory: string): string[] {
  try {
    const names = readdirSync(directory).filter((name) => /\.jsonl(\.next)?$/.test(name));
    return names.sort().map((name) => join(directory, name));
  } catch {
    return [];
  }
}

/** Truncates a partial line that a crash has left: it is unreadable, and must not outlive its session. */
function loadSegment(file: string): Segment {
  const bytes = readFileSync(file);
  const whole = bytes.lastIndexOf('\n') + 1;
  if (whole < bytes.length) truncateSync(file, whole);
  const lines = bytes.toString('utf8', 0, whole).split('\n');
  return { file, turns: new Set(lines.map(turnOf).filter((id) => id !== undefined)), cut: false };
}

/**
 * Rewrites a file with the recordings that `turns` still lists. The file is replaced by `rename`: a crash leaves the
 * old or the new one. Partial lines are dropped.
 */
export async function rewriteSegment({ file, turns }: Segment): Promise<void> {
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

/** A partial line may be followed by another recording in the same line. */
function isWhole(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
