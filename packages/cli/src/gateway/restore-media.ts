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
import { join } from 'node:path';
import { makeDirectory } from '@plugboard/host';
import { CommandFailure } from '../failure.ts';
import { MISSING } from './backup.ts';
import {
  type CopiedMedia,
  copyMedia,
  type MediaFile,
  mediaBeside,
  mediaIn,
  type OnProgress,
} from './media-copy.ts';
import { stagingIn } from './staging.ts';
import { readSums } from './sums.ts';

/** Files of a copy that lie ready beside their place. */
export interface StagedMedia {
  readonly copied: CopiedMedia;
  /** Puts them among those that are there; returns how to take them out again. Nobody looks at a file no store knows. */
  place(): () => void;
  /** Whether the copy said what its files contained, and they still do. */
  readonly checked: boolean;
  /** Removes what is left of the preparations. */
  clear(): void;
  /** Removes the place, too, if it was made for them. */
  unmake(): void;
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
  const unmake = makeDirectory(directory);
  try {
    // Inside: the place may be a disk of its own, and what is prepared has to be moved.
    const folder = stagingIn(directory, 'restore-media');
    const clear = (): void => rmSync(folder, { recursive: true, force: true });
    const filled = await fill(folder, file, media, onProgress).catch((error) => {
      clear();
      throw error;
    });
    return { ...filled, place: () => placeAll(folder, directory), clear, unmake };
  } catch (error) {
    unmake();
    throw error;
  }
}

async function fill(
  folder: string,
  file: string,
  media: readonly MediaFile[],
  onProgress: OnProgress,
): Promise<Pick<StagedMedia, 'copied' | 'checked'>> {
  const copied = await copyMedia(mediaBeside(file), folder, media, onProgress);
  return { copied, checked: refuseUnlike(file, copied) };
}

/** Refuses files that are not those of the copy. Returns whether that could be told of their contents. */
function refuseUnlike(file: string, { missing, sums }: CopiedMedia): boolean {
  const from = mediaBeside(file);
  const excused = new Set(missingIn(from));
  const lost = missing.filter((name) => !excused.has(name));
  if (lost.length > 0) throw absent(`${lost[0]} is not in ${from}, or not whole`, file, lost.length);
  const expected = readSums(from);
  if (expected === undefined) return sums.size === 0;
  const others = [...sums.keys()].filter((name) =>
    // One that was missed when the copy was made, and has been brought since, nobody can judge.
    expected.has(name) ? expected.get(name) !== sums.get(name) : !excused.has(name),
  );
  if (others.length > 0) throw changed(`${others[0]} in ${from}`, others.length);
  return true;
}

function changed(what: string, count: number): CommandFailure {
  const others = count === 1 ? '' : `, and so were ${count - 1} more`;
  const advice = 'Bring it there as it was, or restore without files: --no-media.';
  return new CommandFailure(`${what} was changed or damaged since it was copied${others}. ${advice}`, 1);
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
