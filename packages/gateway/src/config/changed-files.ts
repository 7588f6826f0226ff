import { type FSWatcher, readlinkSync, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';

/** Watches files that editors and deployments replace. */
export interface FileWatch {
  /** Replaces the set of watched files. */
  watch(files: readonly string[]): void;
  close(): void;
}

/**
 * Calls `onEvent` for events in the directories of the files. Watching a file itself would lose it when it is replaced
 * by `rename`, or by changing a symlink. For a file that is reached through symlinks, the directories of the links and
 * of the target are watched.
 */
export function watchFiles(onEvent: () => void, onError: (error: Error) => void): FileWatch {
  const watchers = new Set<FSWatcher>();
  return {
    watch(files) {
      // All watchers are recreated: a directory may have been replaced under the same name.
      close();
      for (const directory of new Set(files.flatMap((file) => directoriesOf(file)))) add(directory);
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
      // `ENOENT`: a broken configuration may name a missing directory.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) onError(error as Error);
    }
  }
}

/** Most symlinks in one path; more are a cycle. */
const MOST_LINKS = 40;

/** Directories of a file, of each symlink in its path, and of the targets of the links. */
function directoriesOf(file: string): string[] {
  const found = [dirname(file)];
  let steps = file.split(sep).filter((step) => step !== '');
  let at: string = sep;
  for (let links = 0; steps.length > 0 && links < MOST_LINKS; ) {
    const [step = '', ...rest] = steps;
    const target = linkTarget(join(at, step));
    steps = rest;
    if (target === undefined) {
      at = join(at, step);
      continue;
    }
    found.push(at);
    links += 1;
    steps = [
      ...resolve(at, target)
        .split(sep)
        .filter((one) => one !== ''),
      ...rest,
    ];
    at = sep;
  }
  return [...found, dirname(at)];
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // `readlink` failed: the path is no symlink, or does not exist.
    return undefined;
  }
}

/** A string that changes with each file: device, inode, size and times of the link targets. */
export async function stampOf(files: readonly string[]): Promise<string> {
  const stamps = files.map(async (file) => {
    const found = await stat(file, { bigint: true }).catch(() => undefined);
    return found === undefined
      ? '-'
      : [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join('.');
  });
  return (await Promise.all(stamps)).join(' ');
}
