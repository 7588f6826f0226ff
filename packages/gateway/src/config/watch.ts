import { resolve } from 'node:path';
import { stampOf, watchFiles } from './changed-files.ts';
import type { Config } from './config.ts';
import { createReloader, type ReloadListener, type ReloadOutcome } from './reload.ts';

/** Quiet time before files are read, because an editor may still be writing. */
const SETTLE_MS = 150;

export interface WatchConfigOptions extends ReloadListener {
  /** The configuration that was read last. */
  readonly current: Config;
  readonly settleMs?: number;
}

/** Reloads a configuration when its files change. */
export interface ConfigWatch {
  /** Reads the files now, even if they are unchanged. */
  reload(): Promise<ReloadOutcome>;
  close(): void;
}

/**
 * Reloads the configuration when one of its files has changed and then been quiet for `settleMs`. The first check is at
 * once: the files may have changed since `load`.
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
    // `stampOf` precedes the reading, so that a change during the reading is noticed.
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
    // Not a debounce: a busy file in the same directory would delay the check for ever.
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
