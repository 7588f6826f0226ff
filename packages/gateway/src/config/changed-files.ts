import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Eyes on files that editors and deployments replace as they like. */
export interface FileWatch {
  /** Looks at these files from now on, and no others. */
  watch(files: readonly string[]): void;
  close(): void;
}

/**
 * Calls when something happens beside one of the files. The directories are watched: a file that is replaced by renaming
 * another over it, or through a link that is turned to another directory, would be lost from sight by itself.
 */
export function watchFiles(onEvent: () => void, onError: (error: Error) => void): FileWatch {
  const watchers = new Set<FSWatcher>();
  return {
    watch(files) {
      // All anew: a directory may be another one of the same name by now.
      close();
      for (const directory of new Set(files.map((file) => dirname(file)))) add(directory);
    },
    close,
  };

  function close(): void {
    for (const watcher of watchers) watcher.close();
    watchers.clear();
  }

  function add(directory: string): void {
    try {
      const watcher = watch(directory, onEvent);
      watcher.on('error', onError);
      watchers.add(watcher);
    } catch (error) {
      // A directory that a broken configuration names need not be there.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) onError(error as Error);
    }
  }
}

/** What changes whenever one of the files does, links followed. */
export async function stampOf(files: readonly string[]): Promise<string> {
  const stamps = files.map(async (file) => {
    const found = await stat(file, { bigint: true }).catch(() => undefined);
    return found === undefined
      ? '-'
      : [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join('.');
  });
  return (await Promise.all(stamps)).join(' ');
}
