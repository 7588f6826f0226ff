import {
  askModel,
  type LanguageModel,
  loadOpenAICompatible,
  type Question as ModelQuestion,
  type Reply as ModelReply,
  type Patience,
} from '@plugboard/llm';
import { type JsonObject, withoutThoughts } from '@plugboard/protocol';
import type { LocalSettings } from '../settings.ts';
import { describeFailure, toBackendError } from './failure.ts';
import { type Fetch, listModels } from './models.ts';
import { createThoughtFilter } from './thoughts.ts';

/** One request to the model. */
export interface Question extends Pick<ModelQuestion, 'system' | 'said' | 'tools' | 'signal'> {
  readonly temperature: number;
  /** What the server is to hold the answer to, where it can. */
  readonly schema?: JsonObject;
  /** Hears the answer as it comes, without what is thought aloud. */
  readonly onText?: (text: string) => void;
}

/** All of what the model answered. */
export interface Reply extends Pick<ModelReply, 'calls'> {
  /** Without what was thought aloud. */
  readonly text: string;
  /** It was cut off at the longest answer that was allowed. */
  readonly cut: boolean;
}

/** Asks the model once; retries what is worth it, throws a `BackendError` for the rest. */
export type Ask = (question: Question) => Promise<Reply>;

/** What asking needs beside the settings. */
export interface AskOptions {
  readonly fetch: Fetch;
  readonly now: () => number;
  readonly patience?: Pick<Patience, 'attempts' | 'firstWaitMs' | 'longestWaitMs'>;
  /** A server that says nothing for so long has gone away. Long prompts take local models minutes to read. */
  readonly silenceMs?: number;
}

const SILENCE_MS = 15 * 60_000;
const PATIENCE = { attempts: 4, firstWaitMs: 1_000, longestWaitMs: 60_000 };
/** A server that is not there will not be there a second later either: somebody has to start it. */
const RETRIED = new Set(['rate-limited', 'trouble', 'broken-off']);

const TOP_P = 0.9;
const REPEAT_PENALTY = 1.1;

/** Gives the way to ask the model of these settings. */
export function createAsk(settings: LocalSettings, options: AskOptions): Ask {
  const { fetch, now, patience = PATIENCE, silenceMs = SILENCE_MS } = options;
  return async (question) => {
    const { temperature, onText, signal } = question;
    const speech = createSpeech(onText);
    try {
      const reply = await askModel(
        { ...question, listener: speech },
        {
          model: await loadModel(question, settings, fetch),
          settings: { temperature, topP: TOP_P, maxOutputTokens: settings.maxTokens },
          patience: { ...patience, retried: RETRIED },
          describe: (failure) => describeFailure(failure, settings),
          // What a person has seen already must not come a second time.
          mayRepeat: () => onText === undefined || !speech.isHeard(),
          ...{ silenceMs, now },
        },
      );
      speech.end();
      return { text: withoutThoughts(reply.text).trim(), calls: reply.calls, cut: reply.finish === 'length' };
    } catch (error) {
      signal.throwIfAborted();
      throw await toBackendError(error, settings, () => listModels(settings, fetch, signal));
    }
  };
}

/** Passes the text of an answer on to `onText`, without what is thought aloud. A new attempt begins anew. */
function createSpeech(onText: Question['onText']) {
  let filter = createThoughtFilter();
  let heard = false;
  const show = (text: string): void => {
    if (text === '') return;
    heard = true;
    onText?.(text);
  };
  return {
    delta(kind: 'output' | 'thinking', text: string): void {
      if (kind === 'output') show(filter.push(text));
    },
    again(): void {
      filter = createThoughtFilter();
    },
    end: () => show(filter.end()),
    isHeard: () => heard,
  };
}

/** Fields that only local servers know are put into the body by hand. */
function loadModel({ schema }: Question, settings: LocalSettings, fetch: Fetch): Promise<LanguageModel> {
  const { endpoint, model, apiKey, noThink } = settings;
  const format = { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } };
  return loadOpenAICompatible({
    model,
    baseUrl: endpoint,
    fetch,
    ...(apiKey === undefined ? {} : { apiKey }),
    extraBody: {
      repeat_penalty: REPEAT_PENALTY,
      ...(schema === undefined ? {} : { response_format: format }),
      ...(noThink ? { chat_template_kwargs: { enable_thinking: false } } : {}),
    },
  });
}
