import type { JsonObject } from '@plugboard/protocol';
import type { LocalSettings } from '../settings.ts';
import { ServerError, toServerError } from './error.ts';
import { type Fetch, mendingFetch } from './mend.ts';
import { listModels } from './models.ts';
import { PATIENCE, type Patience, withRetries } from './retry.ts';
import type { Call, Said } from './said.ts';

/** What a model may be told about a tool. */
export interface ToolOffer {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

/** One request to the model. */
export interface Question {
  readonly system: string;
  readonly said: readonly Said[];
  readonly tools: readonly ToolOffer[];
  readonly temperature: number;
  /** What the server is to hold the answer to, where it can. */
  readonly schema?: JsonObject;
  readonly signal: AbortSignal;
  /** Hears the answer as it comes, without what is thought aloud. */
  readonly onText?: (text: string) => void;
}

/** All of what the model answered. */
export interface Reply {
  /** Without what was thought aloud. */
  readonly text: string;
  readonly calls: readonly Call[];
  /** It was cut off at the longest answer that was allowed. */
  readonly cut: boolean;
}

/** Asks the model once; retries what is worth it, throws a `ServerError` for the rest. */
export type Ask = (question: Question) => Promise<Reply>;

/** What asking needs beside the settings. */
export interface AskOptions {
  readonly fetch: Fetch;
  readonly patience?: Patience;
  /** A server that says nothing for so long has gone away. Long prompts take local models minutes to read. */
  readonly silenceMs?: number;
}

const SILENCE_MS = 15 * 60_000;

/** Gives the way to ask the model of these settings. */
export function createAsk(settings: LocalSettings, options: AskOptions): Ask {
  const { fetch, patience = PATIENCE, silenceMs = SILENCE_MS } = options;
  const mending = mendingFetch(fetch);
  return async (question) => {
    let heard = false;
    const onText = (text: string): void => {
      heard = true;
      question.onText?.(text);
    };
    // What a person has seen already must not come a second time.
    const mayRepeat = (): boolean => question.onText === undefined || !heard;
    try {
      return await withRetries(
        () => tryOnce({ ...question, onText }, settings, mending, silenceMs),
        patience,
        question.signal,
        mayRepeat,
      );
    } catch (error) {
      question.signal.throwIfAborted();
      throw await withModels(error, settings, fetch, question.signal);
    }
  };
}

/** One attempt, ended when the server falls silent. The client is loaded by the first: a refusal needs none of it. */
async function tryOnce(
  question: Question,
  settings: LocalSettings,
  fetch: Fetch,
  silenceMs: number,
): Promise<Reply> {
  const { answerOnce } = await import('./answer.ts');
  const silence = new AbortController();
  const message = `The server at ${settings.endpoint} said nothing for ${silenceMs / 1000} s.`;
  const timer = setTimeout(() => silence.abort(new ServerError('silent', message)), silenceMs);
  try {
    const signal = AbortSignal.any([question.signal, silence.signal]);
    return await answerOnce({ ...question, signal }, settings, fetch, () => void timer.refresh());
  } catch (error) {
    question.signal.throwIfAborted();
    throw toServerError(silence.signal.aborted ? silence.signal.reason : error, settings);
  } finally {
    clearTimeout(timer);
  }
}

/** A model that is not there is named together with those that are. */
async function withModels(
  error: unknown,
  settings: LocalSettings,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<unknown> {
  if (!(error instanceof ServerError) || error.code !== 'no-model') return error;
  const models = await listModels(settings, fetch, signal).catch(() => undefined);
  if (models === undefined || models.length === 0 || models.includes(settings.model)) return error;
  const message = `Model ${settings.model} not found; the server has: ${models.join(', ')}. Choose one with NIB_LOCAL_MODEL.`;
  return new ServerError('no-model', message, { cause: error });
}
