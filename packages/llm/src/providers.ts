import type { LanguageModel } from 'ai';
import { boundedFetch } from './bounded-fetch.ts';
import { type Fetch, repairingFetch } from './stream-repair.ts';

/** How a provider of a model is reached. */
interface Access {
  readonly model: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
}

/** A model of Anthropic's API. */
export async function loadAnthropic({ model, baseUrl, apiKey }: Access): Promise<LanguageModel> {
  const { createAnthropic } = await import('@ai-sdk/anthropic');
  return createAnthropic({
    fetch: boundedFetch(globalThis.fetch),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
  })(model);
}

export interface OpenAICompatibleAccess extends Access {
  readonly baseUrl: string;
  /** Asks for the token counts, by a field that some local servers do not know. */
  readonly includeUsage?: boolean;
  /** Fields of the request that the SDK does not know. */
  readonly extraBody?: Readonly<Record<string, unknown>>;
  readonly fetch?: Fetch;
}

/** A model of OpenAI, or of a local server with the same API. */
export async function loadOpenAICompatible({
  model,
  baseUrl,
  apiKey,
  includeUsage = false,
  extraBody = {},
  fetch = globalThis.fetch,
}: OpenAICompatibleAccess): Promise<LanguageModel> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  return createOpenAICompatible({
    name: 'openai',
    baseURL: baseUrl,
    includeUsage,
    fetch: repairingFetch(boundedFetch(fetch)),
    transformRequestBody: (body) => ({ ...body, ...extraBody }),
    ...(apiKey === undefined ? {} : { apiKey }),
  })(model);
}
