import type { LanguageModel } from 'ai';
import type { CallSettings } from './answer.ts';
import { type Failure, failureOf, ModelError, SilenceError } from './failure.ts';
import type { Question, Reply } from './question.ts';
import { type Patience, withRetries } from './retry.ts';

export interface AskOptions {
  readonly model: LanguageModel;
  readonly settings: CallSettings;
  readonly patience: Patience;
  /** An attempt fails when no part of the answer comes for this time. */
  readonly silenceMs: number;
  readonly now: () => number;
  /** The code and the sentence of the program for a failure. */
  readonly describe: (failure: Failure) => readonly [code: string, sentence: string];
  /** False: a failure is thrown even when another attempt could help. */
  readonly mayRepeat?: () => boolean;
}

/** Asks a model and returns its whole answer. Throws a `ModelError`, or the reason of `question.signal`. */
export function askModel(question: Question, options: AskOptions): Promise<Reply> {
  const { patience, mayRepeat = () => true } = options;
  const attempt = (): Promise<Reply> => tryOnce(question, options);
  return withRetries(attempt, patience, question.signal, mayRepeat, (error, waitMs) =>
    question.listener?.again(error.message, waitMs),
  );
}

async function tryOnce(
  question: Question,
  { model, settings, silenceMs, now, describe }: AskOptions,
): Promise<Reply> {
  // The SDK takes long to load: programs that never ask do without it.
  const { answerOnce } = await import('./answer.ts');
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new SilenceError(silenceMs)), silenceMs);
  try {
    const signal = AbortSignal.any([question.signal, silence.signal]);
    return await answerOnce(model, { ...question, signal }, settings, () => void timer.refresh());
  } catch (error) {
    question.signal.throwIfAborted();
    const failure = failureOf(silence.signal.aborted ? silence.signal.reason : error, now());
    const { retryAfterMs } = failure;
    throw new ModelError(...describe(failure), { cause: error, retryAfterMs });
  } finally {
    clearTimeout(timer);
  }
}
