import type { Task } from '@plugboard/protocol';
import { reasonOf } from '@plugboard/protocol';

/** Tells what has become of tasks and alarms, and looks after what follows from it. */
export interface Telling {
  /** At once, if it is not as it was told last. */
  tell(): void;
  /** What has changed since it was told last, for the caller to tell; undefined when nothing has. */
  untold(): readonly Task[] | undefined;
  /** As it was told last. */
  readonly told: readonly Task[];
  /** Soon, and once for all changes that come together: a hundred alarms would otherwise be a hundred lists of them. */
  changed(): void;
  stop(): void;
}

export interface TellingOptions {
  readonly snapshot: () => readonly Task[];
  /** Lets the host be told what is `told` by the time it is. */
  readonly push: () => void;
  /** Called when changes have been told, or could not be; must not throw. */
  readonly onTold: () => void;
  /** For the operator. */
  readonly log: (text: string) => void;
}

export function createTelling({ snapshot, push, onTold, log }: TellingOptions): Telling {
  let told: readonly Task[] = [];
  let soon: NodeJS.Immediate | undefined;
  const untold = (): readonly Task[] | undefined => {
    const all = snapshot();
    // Several changes may leave everything as the host knows it.
    if (JSON.stringify(all) === JSON.stringify(told)) return undefined;
    told = all;
    return all;
  };
  const tell = (): void => {
    if (untold() !== undefined) push();
  };
  const tellSoon = (): void => {
    soon = undefined;
    try {
      tell();
    } catch (error) {
      log(`What has become of the tasks could not be told: ${reasonOf(error)}`);
    }
    onTold();
  };
  return {
    tell,
    untold,
    get told() {
      return told;
    },
    changed() {
      soon ??= setImmediate(tellSoon);
    },
    stop: () => clearImmediate(soon),
  };
}
