import type { Task } from '@plugboard/protocol';
import { reasonOf } from '@plugboard/protocol';

/** Sends the list of tasks and alarms to the host when it has changed. */
export interface TaskUpdates {
  /** Sends the list now if it has changed. */
  sendNow(): void;
  /** The list if it has changed; the caller must send it. Else undefined. */
  takeChanged(): readonly Task[] | undefined;
  readonly sent: readonly Task[];
  /** Sends the list after the current event loop phase, once for all changes made until then. */
  sendSoon(): void;
  stop(): void;
}

export interface TaskUpdatesOptions {
  readonly snapshot: () => readonly Task[];
  /** Queues a message to the host, whose content is `sent` at the time it is read. */
  readonly push: () => void;
  /** Called when the list was sent, or could not be. Must not throw. */
  readonly onSent: () => void;
  readonly log: (text: string) => void;
}

export function createTaskUpdates({ snapshot, push, onSent, log }: TaskUpdatesOptions): TaskUpdates {
  let sent: readonly Task[] = [];
  let soon: NodeJS.Immediate | undefined;
  const takeChanged = (): readonly Task[] | undefined => {
    const all = snapshot();
    // A task may start and end between two calls.
    if (JSON.stringify(all) === JSON.stringify(sent)) return undefined;
    sent = all;
    return all;
  };
  const sendNow = (): void => {
    if (takeChanged() !== undefined) push();
  };
  const sendAndReport = (): void => {
    soon = undefined;
    try {
      sendNow();
    } catch (error) {
      log(`The list of tasks could not be sent: ${reasonOf(error)}`);
    }
    onSent();
  };
  return {
    sendNow,
    takeChanged,
    get sent() {
      return sent;
    },
    sendSoon() {
      soon ??= setImmediate(sendAndReport);
    },
    stop: () => clearImmediate(soon),
  };
}
