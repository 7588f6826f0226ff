import type { Config } from './config.ts';
import { type ConfigChanges, diffConfig, keepUnchanged } from './diff.ts';
import { ConfigError } from './error.ts';

/** Whom a configuration that is read again concerns. */
export interface ReloadListener {
  /** Another one is to be in effect. The records of agents that are as they were are the same objects. */
  onChange(config: Config, changes: ConfigChanges): void | Promise<void>;
  /** The one in the files cannot be used; the old one stays in effect. Each problem is told once. */
  onProblem(error: Error): void;
}

export type ReloadOutcome = 'changed' | 'unchanged' | 'problem';

/** A configuration in effect that can be read again. */
export interface Reloader {
  reload(): Promise<ReloadOutcome>;
  /** Told like a problem of the configuration itself. */
  tell(error: Error): void;
  /** The files that matter: those of the one in effect and of the one that could not be. */
  readonly files: readonly string[];
}

/** Refuses a file that had agents and has none: a full disk or an editor that truncates before it writes leaves such a file behind. */
function refuseLoss(inEffect: Config, { demos, file = 'plugboard.yaml', files }: Config): void {
  if (demos !== true || inEffect.demos === true) return;
  const sentence = `${file}: The file names no agents any more, so the agents of before go on. If that is meant, restart the gateway.`;
  throw new ConfigError([sentence], files);
}

/** All of a configuration takes effect or nothing: whatever goes wrong, the old one stays. */
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
    // One at a time, in the order asked for: the last files read are the ones in effect.
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
