import { text } from 'node:stream/consumers';
import type { Store } from '@plugboard/store';
import type { ListedFile, MediaFiles } from './media-files.ts';

/** Minimum age: a younger file may not be in the store yet. */
const OLD_MS = 3_600_000;

/** Numbers of files that the store does not know. */
interface SweptFiles {
  readonly removed: number;
  /** Files that are older than the store, and were left. */
  readonly older: number;
}

/** Names that `MediaStore.add` and `MediaFiles.check` make. Anything else in a shared place is not of a gateway. */
const OWN_NAME = /^(?:[\w-]{24}\.[a-z0-9]+|check-[\w-]{12})(?:\.part)?$/;

/** Names the store whose files are in a shared place. */
const OWNER = 'plugboard-store.txt';

/**
 * Removes files of uploads that a crash has cut off. A whole file that is older than the store belongs to another one:
 * the store was lost, or `store.file` names a new one, and the file is left for when the former is back. `foreign`: the
 * place has files of another store, and nothing was looked at.
 */
export async function removeUnfinishedUploads(
  files: MediaFiles,
  { media, createdAt }: Pick<Store, 'media' | 'createdAt'>,
  isShared: boolean,
): Promise<SweptFiles | 'foreign'> {
  if (isShared && !(await isOwner(files, createdAt))) return 'foreign';
  const now = performance.timeOrigin + performance.now();
  let removed = 0;
  let older = 0;
  for await (const file of files.list()) {
    if (isShared && !OWN_NAME.test(file.name)) continue;
    if (now - file.at < OLD_MS || (await isKept(file, media))) continue;
    if (file.at < createdAt && !file.isPartial) {
      older += 1;
      continue;
    }
    await files.remove(file.name);
    removed += 1;
  }
  return { removed, older };
}

/** Two stores may name one bucket, by mistake or for a test: neither may remove files that only the other knows. */
async function isOwner(files: MediaFiles, createdAt: number): Promise<boolean> {
  const owner = `${createdAt}\n`;
  const found = await files.open(OWNER);
  if (found !== undefined) return (await text(found)) === owner;
  await files.put(OWNER, oneText(owner));
  return true;
}

async function* oneText(said: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(said);
}

async function isKept({ name, isPartial }: ListedFile, media: Store['media']): Promise<boolean> {
  if (isPartial) return false;
  const [id = ''] = name.split('.');
  return (await media.get(id))?.file === name;
}
