import { askModel, type LanguageModel, type Patience, type Question, type Reply } from '@plugboard/llm';
import type { ChosenModel } from './choose.ts';
import { describeFailure } from './failure-words.ts';

/** Asks a model once and returns its whole answer. Throws a `ModelError`, or the reason of `question.signal`. */
export type Ask = (question: Question) => Promise<Reply>;

/** What the model is asked for. Rules of a script name it in `for`. */
export type Purpose = 'turn' | 'distil' | 'reflect' | 'research';

export interface AskOptions {
  readonly now: () => number;
  readonly patience?: Pick<Patience, 'attempts' | 'firstWaitMs' | 'longestWaitMs'>;
  /** An attempt fails when no part of the answer comes for this time. */
  readonly silenceMs?: number;
}

const SILENCE_MS = 180_000;
const PATIENCE = { attempts: 5, firstWaitMs: 1_000, longestWaitMs: 60_000 };
const RETRIED = new Set(['rate-limited', 'overloaded', 'unreachable', 'broken-off', 'silent']);

/** Creates an `Ask` for each purpose. The first question loads the model. */
export function createAsk(chosen: ChosenModel, options: AskOptions): (purpose: Purpose) => Ask {
  const { now, patience = PATIENCE, silenceMs = SILENCE_MS } = options;
  let loading: Promise<LanguageModel> | undefined;
  const load = (): Promise<LanguageModel> => {
    loading ??= chosen.load().catch((error) => {
      // The next question loads it again, so that a script that has been repaired needs no restart.
      loading = undefined;
      throw error;
    });
    return loading;
  };
  return (purpose) => async (question) =>
    askModel(question, {
      model: await load(),
      settings: { providerOptions: { nuum: { purpose } } },
      patience: { ...patience, retried: RETRIED },
      describe: (failure) => describeFailure(failure, chosen.name),
      ...{ silenceMs, now },
    });
}
