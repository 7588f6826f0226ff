import { existsSync, lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, NibError } from '../failure.ts';
import { writeAtomic } from '../files/atomic.ts';
import { readIfThere } from '../files/read.ts';
import { tryToTake, withLock } from '../project/lock.ts';
import { put } from './restore.ts';
import { type Snapshot, takeSnapshot } from './snapshot.ts';

/** The project's files as they were before a backend was let at them. */
export interface Backup {
  /** Its directory, relative to the project's root. */
  readonly place: string;
  /** The files that were handed over, by all of their names; others were only watched. */
  readonly given: readonly string[];
}

/** A backup in use: nobody else takes it for one that was left behind. */
export interface HeldBackup extends Backup {
  /** Whoever goes through the project's backups may have it from now on. */
  keep(): void;
  /** It is no longer needed. */
  drop(): void;
}

const DIRECTORY = join('.nib', 'backup');

/** Written last: a backup without it was cut short, and nothing had happened yet. */
const MANIFEST = 'backup.json';

/** Copies a snapshot into the project's own directory, where it stays until it is dropped. */
export async function makeBackup(
  root: string,
  snapshot: Snapshot,
  given: readonly string[],
  now: number,
): Promise<HeldBackup> {
  // Between the two, a nib that cleans up would take it for one that was cut short.
  const { place, release } = await withLock(root, async () => {
    await refuseSecond(root);
    const made = makePlace(root, now);
    return { place: made, release: await tryToTake(join(root, made, 'lock')) };
  });
  const directory = join(root, place);
  for (const [path, held] of snapshot) put(join(directory, 'files', path), held);
  writeAtomic(join(directory, MANIFEST), `${JSON.stringify({ given })}\n`);
  return {
    place,
    given,
    keep: () => release?.(),
    drop() {
      release?.();
      dropBackup(root, place);
    },
  };
}

/** Two proofs at a time would take each other's changes for strays, and undo them. */
async function refuseSecond(root: string): Promise<void> {
  for (const place of placesIn(root)) {
    if (await isFree(join(root, place, 'lock'))) continue;
    throw new NibError(
      'Another proof is under way in this project. Nothing was changed; try again when it has ended.',
    );
  }
}

/** Backups that were left behind, the oldest first; one in use by a nib that runs is not. */
export async function leftBackups(root: string): Promise<readonly Backup[]> {
  const left: Backup[] = [];
  for (const place of placesIn(root)) {
    const given = readManifest(root, place);
    if (given !== undefined && (await isFree(join(root, place, 'lock')))) left.push({ place, given });
  }
  return left;
}

/** Deletes the backups that were cut short before they were whole: nothing had happened yet, and nobody needs them. */
export async function cleanBackups(root: string): Promise<void> {
  if (!placesIn(root).some((place) => !isWhole(root, place))) return;
  await withLock(root, async () => {
    for (const place of placesIn(root))
      if (!isWhole(root, place) && (await isFree(join(root, place, 'lock')))) dropBackup(root, place);
  });
}

/** The files of a backup. */
export function backedUp(root: string, { place, given }: Backup): Snapshot {
  return takeSnapshot(join(root, place, 'files'), given);
}

/** Deletes a backup. */
export function dropBackup(root: string, place: string): void {
  rmSync(join(root, place), { recursive: true, force: true });
  try {
    rmdirSync(join(root, DIRECTORY));
  } catch {
    // Others are still in it.
  }
}

/** A directory that nobody else has made in the same second. */
function makePlace(root: string, now: number): string {
  mkdirSync(join(root, DIRECTORY), { recursive: true });
  const stamp = new Date(now).toISOString().replace(/[-:]/g, '').slice(0, 15);
  for (let copy = 1; ; copy += 1) {
    const place = join(DIRECTORY, copy === 1 ? stamp : `${stamp}-${copy}`);
    try {
      mkdirSync(join(root, place), { mode: 0o700 });
      return place;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}

function readManifest(root: string, place: string): readonly string[] | undefined {
  const text = readIfThere(join(root, place, MANIFEST));
  if (text === undefined) return undefined;
  try {
    const { given } = JSON.parse(text) as { given?: unknown };
    return Array.isArray(given) ? given.filter((path) => typeof path === 'string') : [];
  } catch {
    // The files are what counts; which of them were handed over is then not known.
    return [];
  }
}

async function isFree(lock: string): Promise<boolean> {
  if (lstatSync(lock, { throwIfNoEntry: false }) === undefined) return true;
  const release = await tryToTake(lock);
  release?.();
  return release !== undefined;
}

function isWhole(root: string, place: string): boolean {
  return existsSync(join(root, place, MANIFEST));
}

function placesIn(root: string): readonly string[] {
  try {
    const names = readdirSync(join(root, DIRECTORY)).sort();
    return names.map((name) => join(DIRECTORY, name));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
