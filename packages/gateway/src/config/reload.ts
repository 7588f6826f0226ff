import type { Config } from './config.ts';
import { type ConfigChanges, diffConfig, keepUnchanged } from './diff.ts';
import { ConfigError } from './error.ts';

/** Callbacks of a reload. */
export interface ReloadListener {
  /** A new configuration takes effect. Unchanged agents keep their objects. */
  onChange(config: Config, changes: ConfigChanges): void | Promise<void>;
  /** The files are invalid; the old configuration stays in effect. Each problem is reported once. */
  onProblem(error: Error): void;
}

export type ReloadOutcome = 'changed' | 'unchanged' | 'problem';

/** The current configuration, which can be reloaded. */
export interface Reloader {
  reload(): Promise<ReloadOutcome>;
  /** Reports an error to `onProblem`. */
  tell(error: Error): void;
  /** Files of the current configuration and of the last invalid one. */
  readonly files: readonly string[];
}

/**
 * Refuses a file without agents when the current one has agents: a full disk, or an editor that truncates before it
 * writes, leaves an empty file.
 */
function refuseLoss(inEffect: Config, { demos, file = 'plugboard.yaml', files }: Config): void {
  if (demos !== true || inEffect.demos === true) return;
  const sentence = `${file}: The file names no agents any more, so the agents of before go on. If that is meant, restart the gateway.`;
  throw new ConfigError([sentence], files);
}

/** A reload is atomic: on any error the old configuration stays. */
export function createReloader(
  load: () => Promise<Config>,
  current: Config,
  listener: ReloadListener,
): Reloader {
  let inEffect = current;
  let files = current.files;
  let told = '';
  let last: Promise<unknown> = Promise.resolve();

  const tell = (error: Error): void => {
    if (error.message === told) return;
    told = error.message;
    listener.onProblem(error);
  };
  const reloadNow = async (): Promise<ReloadOutcome> => {
    try {
      const next = keepUnchanged(inEffect, await load());
      refuseLoss(inEffect, next);
      const changes = diffConfig(inEffect, next);
      if (!changes.none) await listener.onChange(next, changes);
      inEffect = next;
      files = next.files;
      told = '';
      return changes.none ? 'unchanged' : 'changed';
    } catch (error) {
      files = [...inEffect.files, ...(error instanceof ConfigError ? error.files : [])];
      tell(error instanceof Error ? error : new Error(String(error)));
      return 'problem';
    }
  };
  return {
    // Reloads run one after the other, so that the files read last take effect.
    reload() {
      const result = last.then(reloadNow);
      last = result;
      return result;
    },
    tell,
    get files() {
      return files;
    },
  };
}
