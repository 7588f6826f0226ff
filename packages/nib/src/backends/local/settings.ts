import { BackendError } from '../failure.ts';

/** The server, and the parameters of its requests. */
export interface LocalSettings {
  readonly endpoint: string;
  readonly model: string;
  readonly noThink: boolean;
  readonly apiKey?: string;
  /** The longest answer, in tokens. */
  readonly maxTokens: number;
  /** How many requests `runToolLoop` may send before the model must answer. */
  readonly maxCalls: number;
}

/** Each setting by the last part of its git key, with its variable and its default. */
const SOURCES = {
  endpoint: ['NIB_LOCAL_ENDPOINT', 'http://localhost:1234/v1'],
  model: ['NIB_LOCAL_MODEL', 'qwen3-30b-a3b'],
  'no-think': ['NIB_LOCAL_NO_THINK', 'true'],
  'api-key': ['NIB_LOCAL_API_KEY', ''],
  'max-tokens': ['NIB_LOCAL_MAX_TOKENS', '4096'],
  'max-calls': ['NIB_LOCAL_MAX_CALLS', '20'],
} as const;

/** The section of the settings in git's configuration. */
export const GIT_SECTION = 'nib.agents.local';

type Name = keyof typeof SOURCES;

/**
 * Resolves the settings: a variable of `environment` overrides git's configuration, which overrides the default. An
 * empty value counts as unset.
 */
export function resolveSettings(
  environment: Readonly<Record<string, string | undefined>>,
  configured: Readonly<Record<string, string>>,
): LocalSettings {
  const value = (name: Name): string => {
    const [variable, standard] = SOURCES[name];
    return environment[variable] || configured[name] || standard;
  };
  const apiKey = value('api-key');
  return {
    endpoint: parseEndpoint(value('endpoint')),
    model: value('model'),
    noThink: parseFlag(value('no-think')),
    maxTokens: parseCount('max-tokens', value('max-tokens')),
    maxCalls: parseCount('max-calls', value('max-calls')),
    ...(apiKey === '' ? {} : { apiKey }),
  };
}

function parseEndpoint(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text.replace(/\/+$/, '');
  throw createSettingError('endpoint', text, 'an address such as http://localhost:1234/v1');
}

function parseFlag(text: string): boolean {
  if (/^(true|yes|on|1)$/i.test(text)) return true;
  if (/^(false|no|off|0)$/i.test(text)) return false;
  throw createSettingError('no-think', text, 'true or false');
}

function parseCount(name: Name, text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw createSettingError(name, text, 'a number, 1 or more');
}

function createSettingError(name: Name, text: string, wanted: string): BackendError {
  return new BackendError(
    'bad-setting',
    `${SOURCES[name][0]} (or ${GIT_SECTION}.${name} in git's configuration) is ${JSON.stringify(text)}: it must be ${wanted}.`,
  );
}
