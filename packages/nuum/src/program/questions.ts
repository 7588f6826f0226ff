import type { Permission } from '@plugboard/protocol';

/** Questions to the person, one after the other: calls that run at the same time may all have one. */
export interface Questions {
  /** Asks when it is its turn; withdrawn when the signal is aborted. */
  ask(text: string, signal: AbortSignal): Promise<Permission>;
  /** Takes a line as the answer to the question that is open; false when there is none. */
  answer(line: string): boolean;
}

interface Question {
  readonly text: string;
  readonly settle: (permission: Permission) => void;
}

/** `show` puts a question before the person. */
export function createQuestions(show: (text: string) => void): Questions {
  const open: Question[] = [];
  const next = (): void => {
    const [first] = open;
    if (first !== undefined) show(first.text);
  };
  return {
    ask: (text, signal) =>
      new Promise((resolve) => {
        const settle = (permission: Permission): void => {
          signal.removeEventListener('abort', withdraw);
          const at = open.indexOf(question);
          open.splice(at, 1);
          resolve(permission);
          if (at === 0 && !signal.aborted) next();
        };
        const withdraw = (): void => settle({ allowed: false, reason: 'The turn was interrupted.' });
        const question = { text, settle };
        open.push(question);
        if (signal.aborted) return withdraw();
        signal.addEventListener('abort', withdraw);
        if (open.length === 1) next();
      }),
    answer(line) {
      const [first] = open;
      first?.settle(permissionOf(line));
      return first !== undefined;
    },
  };
}

/** Silence is not a yes, and whatever else is said is the reason for a no: the model hears it. */
function permissionOf(line: string): Permission {
  if (/^y(es)?$/i.test(line)) return { allowed: true };
  const reason = /^(n|no)?$/i.test(line) ? 'The person said no.' : `The person said no: ${line}`;
  return { allowed: false, reason };
}
