import { resolve } from 'node:path';
import { stampOf, watchFiles } from './changed-files.ts';
import type { Config } from './config.ts';
import { createReloader, type ReloadListener, type ReloadOutcome } from './reload.ts';

/** How long files must have been left alone before they are read: whoever writes one may be in the middle of it. */
const SETTLE_MS = 150;

export interface WatchConfigOptions extends ReloadListener {
  /** The configuration in effect. */
  readonly current: Config;
  readonly settleMs?: number;
}

/** A configuration that follows its files. */
export interface ConfigWatch {
  /** Reads the files now, changed or not. */
  reload(): Promise<ReloadOutcome>;
  close(): void;
}

/**
 * Reads the configuration again when its file, or another that it names, has changed and then been left alone for a
 * moment. The first look is at once: the files may have changed since they were read.
 */
export function watchConfig(
  path: string,
  load: () => Promise<Config>,
  options: WatchConfigOptions,
): ConfigWatch {
  const reloader = createReloader(load, options.current, options);
  const files = (): string[] => [...new Set([resolve(path), ...reloader.files])];
  let read = '';
  let seen = '';
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const watched = watchFiles(schedule, ({ message }) =>
    reloader.tell(new Error(`Changes of the configuration may go unnoticed from now on: ${message}`)),
  );
  const reload = async (): Promise<ReloadOutcome> => {
    // Taken before reading: what changes meanwhile is seen as a change.
    read = await stampOf(files());
    const outcome = await reloader.reload();
    if (!closed) watched.watch(files());
    return outcome;
  };
  const look = async (): Promise<void> => {
    const now = await stampOf(files());
    if (closed || now === read) return;
    if (now === seen) await reload();
    seen = now;
    schedule();
  };
  function schedule(): void {
    // Not put off by further events: beside a busy file, the quiet one would never be looked at.
    if (closed || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      void look();
    }, options.settleMs ?? SETTLE_MS);
  }

  watched.watch(files());
  schedule();
  return {
    reload,
    close() {
      closed = true;
      clearTimeout(timer);
      watched.close();
    },
  };
}
