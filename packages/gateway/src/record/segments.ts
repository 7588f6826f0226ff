import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivate } from '../private-directory.ts';
import type { TurnRecording } from './recordings.ts';

/** Recordings in one file: to make and remove a file for each turn would cost more than a short turn itself. */
const TURNS_PER_SEGMENT = 64;

/** Written together after so long. */
const FLUSH_MS = 200;

/** The last recordings, in files of some each; the oldest file goes when there are too many. */
export interface Segments {
  add(turnId: string, recording: TurnRecording): void;
  has(turnId: string): boolean;
  read(turnId: string): Promise<TurnRecording | undefined>;
  close(): Promise<void>;
}

interface Segment {
  readonly file: string;
  readonly turns: Set<string>;
  /** Its last line was cut off by a crash: what is added would become part of it. */
  readonly cut: boolean;
}

export function createSegments(directory: string, keep: number): Segments {
  const most = Math.ceil(keep / TURNS_PER_SEGMENT) + 1;
  const segments = keep > 0 ? load(directory) : [];
  /** Recordings that are not in their file yet. */
  const fresh = new Map<string, TurnRecording>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const write = async (): Promise<void> => {
    const batch = [...fresh];
    const byFile = Map.groupBy(batch, ([turnId]) => segmentOf(turnId)?.file ?? '');
    for (const [file, recordings] of byFile) {
      const lines = recordings.map(([, recording]) => `${JSON.stringify(recording)}\n`);
      // A full disk costs the recordings, not the conversation.
      if (file !== '') await appendFile(file, lines.join(''), { mode: 0o600 }).catch(() => {});
    }
    for (const [turnId, recording] of batch) if (fresh.get(turnId) === recording) fresh.delete(turnId);
  };
  const flush = (): void => {
    timer = undefined;
    writing = writing.then(write);
  };
  const segmentOf = (turnId: string): Segment | undefined => segments.find(({ turns }) => turns.has(turnId));
  const current = (turnId: string): Segment => {
    const last = segments.at(-1);
    if (last !== undefined && !last.cut && last.turns.size < TURNS_PER_SEGMENT) return last;
    makePrivate(directory);
    // Ids of turns grow with time, and so do the names.
    const next = { file: join(directory, `${turnId}.jsonl`), turns: new Set<string>(), cut: false };
    segments.push(next);
    while (segments.length > most) rmSync(segments.shift()?.file ?? '', { force: true });
    return next;
  };

  return {
    add(turnId, recording) {
      current(turnId).turns.add(turnId);
      fresh.set(turnId, recording);
      timer ??= setTimeout(flush, FLUSH_MS).unref();
    },
    has: (turnId) => segmentOf(turnId) !== undefined,
    async read(turnId) {
      const segment = segmentOf(turnId);
      if (segment === undefined) return undefined;
      return fresh.get(turnId) ?? find(await readFile(segment.file, 'utf8').catch(() => ''), turnId);
    },
    async close() {
      clearTimeout(timer);
      flush();
      await writing;
    },
  };
}

function find(text: string, turnId: string): TurnRecording | undefined {
  for (const line of text.split('\n')) {
    if (turnOf(line) !== turnId) continue;
    try {
      return JSON.parse(line) as TurnRecording;
    } catch {
      return undefined; // cut off by a full disk
    }
  }
  return undefined;
}

/** The id stands first in every line, so that the rest need not be read. */
function turnOf(line: string): string | undefined {
  return /^\{"turnId":"([\w-]+)"/.exec(line)?.[1];
}

function load(directory: string): Segment[] {
  let names: string[];
  try {
    names = readdirSync(directory).filter((name) => name.endsWith('.jsonl'));
  } catch {
    return [];
  }
  return names.sort().map((name) => {
    const file = join(directory, name);
    const lines = readFileSync(file, 'utf8').split('\n');
    const cut = lines.pop() !== '';
    return { file, turns: new Set(lines.map(turnOf).filter((id) => id !== undefined)), cut };
  });
}
