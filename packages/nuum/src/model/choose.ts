import { type LanguageModel, loadAnthropic, loadOpenAICompatible, ModelError } from '@plugboard/llm';

export interface ModelSettings {
  /** `anthropic:NAME`, `openai:NAME`, `script:FILE`, or a bare name. */
  readonly model: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
}

/** A model whose SDK is loaded by the first question. */
export interface ChosenModel {
  readonly name: string;
  load(): Promise<LanguageModel>;
}

type Provider = 'anthropic' | 'openai' | 'script';

/** The provider of a name without a prefix, when `baseUrl` is not set. */
const DEFAULT_PROVIDER: Provider = 'anthropic';

/** Throws a `ModelError` when the settings name no model. */
export function chooseModel({ model, baseUrl, apiKey }: ModelSettings): ChosenModel {
  const { provider, name } = splitName(model, baseUrl);
  switch (provider) {
    case 'script':
      return { name: `script:${name}`, load: async () => (await import('./script.ts')).scriptedModel(name) };
    case 'anthropic':
      return { name, load: () => loadAnthropicModel(name, baseUrl, apiKey) };
    case 'openai':
      return { name, load: () => loadOpenAIModel(name, baseUrl, apiKey) };
  }
}

/** Only known providers are split off: names of local models contain colons, such as `qwen3:30b`. */
function splitName(model: string, baseUrl: string | undefined): { provider: Provider; name: string } {
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

async function loadAnthropicModel(model: string, baseUrl?: string, apiKey?: string): Promise<LanguageModel> {
  if (apiKey === undefined) throw missingKey('ANTHROPIC_API_KEY', model);
  return loadAnthropic({ model, apiKey, ...(baseUrl === undefined ? {} : { baseUrl }) });
}

/** A server other than `api.openai.com` may need no key. */
async function loadOpenAIModel(
  model: string,
  baseUrl = 'https://api.openai.com/v1',
  apiKey?: string,
): Promise<LanguageModel> {
  if (apiKey === undefined && new URL(baseUrl).hostname === 'api.openai.com')
    throw missingKey('OPENAI_API_KEY', model);
  const access = { model, baseUrl, includeUsage: true };
  return loadOpenAICompatible(apiKey === undefined ? access : { ...access, apiKey });
}

function missingKey(variable: string, name: string): ModelError {
  return new ModelError('not-configured', `The model ${name} needs a key: set NUUM_API_KEY or ${variable}.`);
}
