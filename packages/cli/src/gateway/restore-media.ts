import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { CommandFailure } from '../failure.ts';
import { MISSING } from './backup.ts';
import { type CopiedMedia, copyMedia, mediaBeside, mediaIn, type OnProgress } from './media-copy.ts';
import { stagingIn } from './staging.ts';

/** Files of a copy that lie ready beside their place. */
export interface StagedMedia {
  readonly copied: CopiedMedia;
  /** Puts them among those that are there; returns how to take them out again. Nobody looks at a file no store knows. */
  place(): () => void;
  /** Removes what is left of the preparations. */
  clear(): void;
}

/** Copies the files of a copy beside the place where they belong. Refuses a copy that does not have them all. */
export async function stageMedia(
  file: string,
  store: string,
  directory: string,
  onProgress: OnProgress,
): Promise<StagedMedia> {
  const from = mediaBeside(file);
  const media = mediaIn(store);
  if (media.length > 0 && !existsSync(from)) throw absent(`${from} is not there`, file, media.length);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const folder = stagingIn(dirname(directory), 'restore-media');
  const clear = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const copied = await copyMedia(from, folder, media, onProgress);
    const excused = new Set(missingIn(from));
    const lost = copied.missing.filter((name) => !excused.has(name));
    if (lost.length > 0) throw absent(`${lost[0]} is not in ${from}, or not whole`, file, lost.length);
    return { copied, place: () => placeAll(folder, directory), clear };
  } catch (error) {
    clear();
    throw error;
  }
}

function absent(what: string, file: string, count: number): CommandFailure {
  const files = `${count} ${count === 1 ? 'file belongs' : 'files belong'} to ${file} and cannot be had`;
  return new CommandFailure(`${what}: ${files}. Bring them there, or restore without files: --no-media.`, 1);
}

function missingIn(folder: string): string[] {
  const list = join(folder, MISSING);
  return existsSync(list) ? readFileSync(list, 'utf8').trim().split('\n') : [];
}

function placeAll(folder: string, directory: string): () => void {
  const added: string[] = [];
  const undo = (): void => {
    for (const path of added) rmSync(path, { force: true });
  };
  try {
    for (const name of readdirSync(folder)) {
      const path = join(directory, name);
      if (!existsSync(path)) added.push(path);
      renameSync(join(folder, name), path);
    }
    return undo;
  } catch (error) {
    undo();
    throw error;
  }
}

/**
 * Keeps the files that are there under another name too, for the store that is put aside: what the restored one does not
 * know is removed by the gateway in time. Returns where; undefined when there are none.
 */
export function keepMedia(directory: string, stamp: string): string | undefined {
  const files = existsSync(directory) ? readdirSync(directory, { withFileTypes: true }) : [];
  const names = files.filter((one) => one.isFile()).map(({ name }) => name);
  if (names.length === 0) return undefined;
  const kept = `${directory}.before-${stamp}`;
  if (existsSync(kept)) throw new CommandFailure(`${kept} is there already.`, 1);
  mkdirSync(kept, { mode: 0o700 });
  try {
    for (const name of names) twice(join(directory, name), join(kept, name));
    return kept;
  } catch (error) {
    rmSync(kept, { recursive: true, force: true });
    throw error;
  }
}

/** A second name costs nothing; files are never changed once they are there. */
function twice(path: string, other: string): void {
  try {
    linkSync(path, other);
  } catch {
    copyFileSync(path, other);
  }
}
