import { reasonOf } from '@plugboard/protocol';
import type { Logger } from '../log.ts';
import type { LocalCopies } from './local-copies.ts';
import type { MediaFiles } from './media-files.ts';

/** Removals at the same time: a session may have thousands of files. */
const TOGETHER = 8;

interface RemovalOptions {
  readonly files: MediaFiles;
  readonly local: LocalCopies;
  readonly log: Logger;
}

/** Creates `MediaStore.remove`. After a crash, `sweep` finds the files that were left. */
export function createRemoval({
  files,
  local,
  log,
}: RemovalOptions): (names: readonly string[]) => Promise<void> {
  const left = new Set<string>();
  const removeOne = async (name: string): Promise<void> => {
    await local.remove(name);
    await files.remove(name);
    left.delete(name);
  };
  return async (names) => {
    for (const name of names) left.add(name);
    const waiting = [...left];
    let reason: string | undefined;
    const work = async (): Promise<void> => {
      for (let name = waiting.pop(); name !== undefined && reason === undefined; name = waiting.pop())
        await removeOne(name).catch((error: unknown) => {
          reason = reasonOf(error);
        });
    };
    await Promise.all(Array.from({ length: TOGETHER }, work));
    if (reason !== undefined)
      log.error(`${left.size} files of forgotten sessions are not removed yet: ${reason}`, {
        code: 'media-not-removed',
      });
  };
}
