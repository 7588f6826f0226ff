import { type Answer, answerOf, type Question } from '@plugboard/protocol';
import { applyInput, type Request, type Station } from './station.ts';

/** Sends `question` to the host, which asks a person. Aborting `signal` withdraws it. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<Answer>;

const CANNOT_ASK = 'This needs permission, and the host has no way to be asked for it.';

/** Denies every question: for hosts whose dialect has no `ask`. */
export const NOBODY_TO_ASK: Ask = (question) => Promise.resolve(createDenial(question, CANNOT_ASK));

/** Open questions of this process, by `askId`. */
export interface Asks {
  /** An `Ask` whose questions belong to the turn `turnId`. */
  by(turnId: string): Ask;
  /** Settles the question of an `answer` or `cannot-ask` effect; false for other effects. */
  take(request: Request): boolean;
  /** Denies all open questions: stdin has ended, so no answer can come. */
  close(): void;
}

interface Open {
  readonly question: Question;
  settle(answer: Answer): void;
}

/** `onAsked` is called after a question was written, so that the caller starts to read stdin for its answer. */
export function createAsks(station: Station, onAsked: () => void = () => {}): Asks {
  const open = new Map<string, Open>();
  let asked = 0;

  const ask = (turnId: string, question: Question, signal: AbortSignal): Promise<Answer> => {
    if (signal.aborted) return Promise.resolve(createDenial(question, 'The turn was cancelled.'));
    const askId = `permission-${++asked}`;
    return new Promise((resolve) => {
      const withdraw = (): void => {
        applyInput(station, { type: 'withdraw', askId });
        settle(createDenial(question, 'The turn was cancelled.'));
      };
      const settle = (answer: Answer): void => {
        open.delete(askId);
        signal.removeEventListener('abort', withdraw);
        resolve(answer);
      };
      open.set(askId, { question, settle });
      signal.addEventListener('abort', withdraw);
      for (const request of applyInput(station, { type: 'ask', askId, turnId, question }).requests)
        take(request);
      if (open.has(askId)) onAsked();
    });
  };
  const take = (request: Request): boolean => {
    if (request.type === 'answer') open.get(request.askId)?.settle(request.answer);
    else if (request.type === 'cannot-ask') {
      const asking = open.get(request.askId);
      asking?.settle(createDenial(asking.question, CANNOT_ASK));
    } else return false;
    return true;
  };
  return {
    by: (turnId) => (question, signal) => ask(turnId, question, signal),
    take,
    close() {
      for (const { question, settle } of [...open.values()])
        settle(createDenial(question, 'The host went away before it answered.'));
    },
  };
}

function createDenial(question: Question, reason: string): Answer {
  return answerOf(question, { allowed: false, reason }, { by: 'host', via: 'policy' });
}
