import type { LanguageModel } from 'ai';
import type { Ask, Purpose, Question, Reply } from './ask.ts';
import type { ChosenModel } from './choose.ts';
import { ModelError, toModelError } from './error.ts';
import { PATIENCE, type Patience, withRetries } from './retry.ts';

/** How to ask. */
export interface AskOptions {
  readonly now: () => number;
  readonly patience?: Patience;
  /** A model that says nothing for so long has gone away. */
  readonly silenceMs?: number;
}

const SILENCE_MS = 180_000;

/** Gives the way to ask a model for each purpose. Its client is loaded by the first question. */
export function createAsk(chosen: ChosenModel, options: AskOptions): (purpose: Purpose) => Ask {
  let loading: Promise<LanguageModel> | undefined;
  const load = (): Promise<LanguageModel> => {
    loading ??= chosen.load().catch((error) => {
      // Whoever sets the key or mends the script should not have to start anew.
      loading = undefined;
      throw error;
    });
    return loading;
  };
  return (purpose) => async (question) => {
    const model = await load();
    const attempt = (): Promise<Reply> => tryOnce(model, chosen.name, question, purpose, options);
    return withRetries(attempt, options.patience ?? PATIENCE, question.signal, (error, waitMs) =>
      question.listener?.again(error.message, waitMs),
    );
  };
}

/** One attempt, ended when the model falls silent. */
async function tryOnce(
  model: LanguageModel,
  name: string,
  question: Question,
  purpose: Purpose,
  { now, silenceMs = SILENCE_MS }: AskOptions,
): Promise<Reply> {
  const { answerOnce } = await import('./answer.ts');
  const silence = new AbortController();
  const fallSilent = (): void =>
    silence.abort(new ModelError('silent', `The model ${name} said nothing for ${silenceMs / 1000} s.`));
  const timer = setTimeout(fallSilent, silenceMs);
  const onPart = (): void => void timer.refresh();
  try {
    const signal = AbortSignal.any([question.signal, silence.signal]);
    return await answerOnce(model, question, purpose, signal, onPart);
  } catch (error) {
    question.signal.throwIfAborted();
    throw toModelError(silence.signal.aborted ? silence.signal.reason : error, name, now());
  } finally {
    clearTimeout(timer);
  }
}
