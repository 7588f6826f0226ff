import type { Permission } from '@plugboard/protocol';

/** Asks the user one question at a time: calls that run concurrently may each need permission. */
export interface Questions {
  /** Resolves to the user's answer. Denied when the signal is aborted. */
  ask(text: string, signal: AbortSignal): Promise<Permission>;
  /** Takes a line as the answer to the open question. False when there is none. */
  answer(line: string): boolean;
}

interface Question {
  readonly text: string;
  readonly settle: (permission: Permission) => void;
}

/** `show` prints a question. */
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

/** Only `y` and `yes` allow. Any other text is the reason that the model receives. */
function permissionOf(line: string): Permission {
  if (/^y(es)?$/i.test(line)) return { allowed: true };
  const reason = /^(n|no)?$/i.test(line) ? 'The person said no.' : `The person said no: ${line}`;
  return { allowed: false, reason };
}
