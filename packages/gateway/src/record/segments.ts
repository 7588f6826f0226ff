import { rmSync } from 'node:fs';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as breath } from 'node:timers/promises';
import { makePrivate } from '../private-directory.ts';
import type { TurnRecording } from './recordings.ts';
import { loadSegments, type Segment, strip, turnOf } from './segment-file.ts';

/** Recordings in one file: to make and remove a file for each turn would cost more than a short turn itself. */
const TURNS_PER_SEGMENT = 64;

/** Written together after so long. */
const FLUSH_MS = 200;

/** The last recordings, in files of some each; the oldest file goes when there are too many. */
export interface Segments {
  add(turnId: string, recording: TurnRecording): void;
  has(turnId: string): boolean;
  read(turnId: string): Promise<TurnRecording | undefined>;
  /** Takes out those that are not to be kept; resolves to how many there were, when nothing of them is left. */
  forget(isKept: (turnId: string) => Promise<boolean>): Promise<number>;
  close(): Promise<void>;
}

export function createSegments(directory: string, keep: number): Segments {
  const most = Math.ceil(keep / TURNS_PER_SEGMENT) + 1;
  const segments = loadSegments(directory, keep > 0);
  /** Recordings that are not in their file yet. */
  const fresh = new Map<string, TurnRecording>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const write = async (): Promise<void> => {
    const batch = [...fresh];
    const byFile = Map.groupBy(batch, ([turnId]) => segmentOf(turnId)?.file ?? '');
    for (const [file, recordings] of byFile) {
      const lines = recordings.map(([, recording]) => `${JSON.stringify(recording)}\n`);
      if (file !== '') await appendFile(file, lines.join(''), { mode: 0o600 }).catch(() => spoil(file));
    }
    for (const [turnId, recording] of batch) if (fresh.get(turnId) === recording) fresh.delete(turnId);
  };
  /** A full disk costs the recordings, not the conversation; what comes next must not become part of half a line. */
  const spoil = (file: string): void => {
    for (const segment of segments) if (segment.file === file) segment.cut = true;
  };
  const flush = (): void => {
    timer = undefined;
    writing = writing.then(write);
  };
  const stripped = async (segment: Segment): Promise<void> => {
    if (segment.turns.size === 0) segments.splice(segments.indexOf(segment), 1);
    await strip(segment);
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
    async forget(isKept) {
      let forgotten = 0;
      for (const segment of [...segments]) {
        const gone = await goneFrom(segment, isKept);
        if (gone.length === 0) continue;
        for (const turnId of gone) {
          segment.turns.delete(turnId);
          fresh.delete(turnId);
        }
        // After what is being written: a recording that is on its way is in the file by then.
        const work = writing.then(() => stripped(segment));
        writing = work.catch(() => {});
        await work;
        forgotten += gone.length;
      }
      return forgotten;
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

async function goneFrom(
  { turns }: Segment,
  isKept: (turnId: string) => Promise<boolean>,
): Promise<readonly string[]> {
  // A store answers at once and may be asked thousands of times: others get their turn in between.
  await breath();
  const gone: string[] = [];
  for (const turnId of [...turns]) if (!(await isKept(turnId))) gone.push(turnId);
  return gone;
}
