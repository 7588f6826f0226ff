import { rmSync } from 'node:fs';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as breath } from 'node:timers/promises';
import { makePrivate } from '../private-directory.ts';
import { loadSegments, rewriteSegment, type Segment, turnOf } from './segment-file.ts';
import type { TurnRecording } from './turn-recorder.ts';

/** Recordings per file. A file per turn costs more than a short turn. */
const TURNS_PER_SEGMENT = 64;

/** Delay after which recordings are written as a batch. */
const FLUSH_MS = 200;

/** The last recordings, in segment files. The oldest file is deleted beyond the limit. */
export interface Segments {
  add(turnId: string, recording: TurnRecording): void;
  has(turnId: string): boolean;
  read(turnId: string): Promise<TurnRecording | undefined>;
  /** Removes recordings that `isKept` rejects; resolves to their number when they are off the disk. */
  forget(isKept: (turnId: string) => Promise<boolean>): Promise<number>;
  close(): Promise<void>;
}

export function createSegments(directory: string, keep: number): Segments {
  const most = Math.ceil(keep / TURNS_PER_SEGMENT) + 1;
  const segments = loadSegments(directory, keep > 0);
  /** Recordings that are not written yet. */
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
  /** A failed write loses recordings, not the turn; `cut` keeps the next one from joining a partial line. */
  const spoil = (file: string): void => {
    for (const segment of segments) if (segment.file === file) segment.cut = true;
  };
  const flush = (): void => {
    timer = undefined;
    writing = writing.then(write);
  };
  const stripped = async (segment: Segment): Promise<void> => {
    if (segment.turns.size === 0) segments.splice(segments.indexOf(segment), 1);
    await rewriteSegment(segment);
  };
  const segmentOf = (turnId: string): Segment | undefined => segments.find(({ turns }) => turns.has(turnId));
  const current = (turnId: string): Segment => {
    const last = segments.at(-1);
    if (last !== undefined && !last.cut && last.turns.size < TURNS_PER_SEGMENT) return last;
    makePrivate(directory);
    // Turn ids increase with time, so that file names sort by age.
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
      return fresh.get(turnId) ?? findRecording(await readFile(segment.file, 'utf8').catch(() => ''), turnId);
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
        // Queued behind `writing`: pending recordings are in the file by then.
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

function findRecording(text: string, turnId: string): TurnRecording | undefined {
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
  // The store answers synchronously: `breath` lets the event loop run once per segment.
  await breath();
  const gone: string[] = [];
  for (const turnId of [...turns]) if (!(await isKept(turnId))) gone.push(turnId);
  return gone;
}
