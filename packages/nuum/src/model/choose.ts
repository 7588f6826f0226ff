import type { LanguageModel } from 'ai';
import { ModelError } from './error.ts';

/** Which model answers, and where it is. */
export interface ModelSettings {
  /** `anthropic:NAME`, `openai:NAME`, `script:FILE`, or a bare name. */
  readonly model: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
}

/** A model that is not loaded yet: its client is not needed before the first question. */
export interface ChosenModel {
  /** As hosts are shown it. */
  readonly name: string;
  load(): Promise<LanguageModel>;
}

type Provider = 'anthropic' | 'openai' | 'script';

/** What a bare name without an address means. */
const DEFAULT_PROVIDER: Provider = 'anthropic';

/** Finds the model that the settings name; throws a sentence when they name none. */
export function chooseModel({ model, baseUrl, apiKey }: ModelSettings): ChosenModel {
  const { provider, name } = split(model, baseUrl);
  switch (provider) {
    case 'script':
      return { name: `script:${name}`, load: async () => (await import('./script.ts')).scriptedModel(name) };
    case 'anthropic':
      return { name, load: () => anthropic(name, baseUrl, apiKey) };
    case 'openai':
      return { name, load: () => openai(name, baseUrl, apiKey) };
  }
}

/** A name may hold colons itself, as those of local servers do: only a provider that is known is one. */
function split(model: string, baseUrl: string | undefined): { provider: Provider; name: string } {
  const [, provider, rest] = /^(anthropic|openai|script):(.*)$/su.exec(model) ?? [];
  const name = rest ?? model;
  if (name === '') {
    throw new ModelError(
      'not-configured',
      `${JSON.stringify(model)} names no model: say anthropic:NAME, openai:NAME or script:FILE.`,
    );
  }
  if (provider !== undefined) return { provider: provider as Provider, name };
  return {
    provider: model.startsWith('claude') || baseUrl === undefined ? DEFAULT_PROVIDER : 'openai',
    name,
  };
}

async function anthropic(name: string, baseURL?: string, apiKey?: string): Promise<LanguageModel> {
  if (apiKey === undefined) throw missingKey('ANTHROPIC_API_KEY', name);
  const { createAnthropic } = await import('@ai-sdk/anthropic');
  return createAnthropic({ apiKey, ...(baseURL === undefined ? {} : { baseURL }) })(name);
}

/** Servers on this machine need no key. */
async function openai(
  name: string,
  baseURL = 'https://api.openai.com/v1',
  apiKey?: string,
): Promise<LanguageModel> {
  if (apiKey === undefined && new URL(baseURL).hostname === 'api.openai.com') {
    throw missingKey('OPENAI_API_KEY', name);
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const provider = createOpenAICompatible({
    name: 'openai',
    baseURL,
    includeUsage: true,
    ...(apiKey === undefined ? {} : { apiKey }),
  });
  return provider(name);
}

function missingKey(variable: string, name: string): ModelError {
  return new ModelError('not-configured', `The model ${name} needs a key: set NUUM_API_KEY or ${variable}.`);
}
