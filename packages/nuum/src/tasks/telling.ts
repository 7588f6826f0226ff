import type { Task } from '@plugboard/protocol';
import { wordsOf } from './words.ts';

/** Tells what has become of tasks and alarms, and looks after what follows from it. */
export interface Telling {
  /** At once, if it is not as it was told last. */
  tell(): void;
  /** Soon, and once for all changes that come together: a hundred alarms would otherwise be a hundred lists of them. */
  changed(): void;
  stop(): void;
}

export interface TellingOptions {
  readonly snapshot: () => readonly Task[];
  readonly push: (tasks: readonly Task[]) => void;
  /** Called when changes have been told, or could not be; must not throw. */
  readonly onTold: () => void;
  /** For the operator. */
  readonly log: (text: string) => void;
}

export function createTelling({ snapshot, push, onTold, log }: TellingOptions): Telling {
  let last = '[]';
  let soon: NodeJS.Immediate | undefined;
  const tell = (): void => {
    const all = snapshot();
    const text = JSON.stringify(all);
    // Several changes may leave everything as the host knows it.
    if (text !== last) push(all);
    last = text;
  };
  const tellSoon = (): void => {
    soon = undefined;
    try {
      tell();
    } catch (error) {
      log(`What has become of the tasks could not be told: ${wordsOf(error)}`);
    }
    onTold();
  };
  return {
    tell,
    changed() {
      soon ??= setImmediate(tellSoon);
    },
    stop: () => clearImmediate(soon),
  };
}
