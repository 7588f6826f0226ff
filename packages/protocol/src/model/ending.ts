import type { End, Outcome } from './event.ts';
import { type Exit, exitFailure } from './exit.ts';

/** The parts of an `End` that a dialect reads from the wire, in addition to the process exit. */
export type Said = Pick<End, 'text'> & Partial<Pick<End, 'data' | 'files' | 'error' | 'usage'>>;

/** The `end` of a turn whose process ended by itself. */
export function endOf(exit: Exit, outcome: Outcome, said: Said): End {
  return {
    type: 'end',
    outcome,
    ...said,
    durationMs: Math.round(exit.durationMs),
    exitCode: exit.exitCode,
    ...(exit.signal === null ? {} : { signal: exit.signal }),
    ...(exit.cause === 'spawn' ? { started: false as const } : {}),
  };
}

/** Whether the host ended the process or could not start it: any `cause` but `exit` and `signal`. */
export function wasStopped(exit: Exit): boolean {
  return exit.cause !== 'exit' && exit.cause !== 'signal';
}

/** The `end` of a turn that the host stopped: the same in every dialect, since the agent had no say in it. */
export function stoppedEnd(exit: Exit, text: string): End {
  if (exit.cause === 'cancel') return endOf(exit, 'cancelled', { text });
  const error = exitFailure(exit, exit.failure?.code ?? exit.cause);
  return endOf(exit, exit.cause === 'timeout' ? 'timeout' : 'error', { text, error });
}

/** The `end` of a turn whose only output was a line longer than `lineBytes`. */
export function lostEnd(exit: Exit, lineBytes: number): End {
  const message = `The agent's answer is one line of more than ${lineBytes} bytes, which cannot be read.`;
  return endOf(exit, 'error', { text: '', error: { message, code: 'line-too-long' } });
}

const FAILURES: Readonly<Record<Outcome, string>> = {
  success: '',
  error: 'The agent failed.',
  cancelled: 'Cancelled.',
  timeout: 'The agent did not finish in time.',
};

/** Whether the user still needs to be told of the failure. `error.told` is set when an earlier message has said it. */
export function owesWords({ outcome, error }: Pick<End, 'outcome' | 'error'>): boolean {
  return outcome !== 'success' && error?.told !== true;
}

/** The failure sentence for the user: `error.message`, else a default for the outcome. */
export function failureOf({ outcome, error }: Pick<End, 'outcome' | 'error'>): string {
  return error?.message ?? FAILURES[outcome];
}
