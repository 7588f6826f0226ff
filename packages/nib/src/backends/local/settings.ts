import { BackendError } from '../failure.ts';

/** How the server is reached and what it is asked with. */
export interface LocalSettings {
  readonly endpoint: string;
  readonly model: string;
  readonly noThink: boolean;
  readonly apiKey?: string;
  /** The longest answer, in tokens. */
  readonly maxTokens: number;
  /** How often the model is asked within one operation before it has to answer. */
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

/** The names under which git may know the settings. */
export const GIT_SECTION = 'nib.agents.local';

type Name = keyof typeof SOURCES;

/** A variable wins over git's configuration, that over the default. An empty value counts as none. */
export function settle(
  environment: Readonly<Record<string, string | undefined>>,
  configured: Readonly<Record<string, string>>,
): LocalSettings {
  const value = (name: Name): string => {
    const [variable, standard] = SOURCES[name];
    return environment[variable] || configured[name] || standard;
  };
  const apiKey = value('api-key');
  return {
    endpoint: endpointOf(value('endpoint')),
    model: value('model'),
    noThink: flagOf(value('no-think')),
    maxTokens: countOf('max-tokens', value('max-tokens')),
    maxCalls: countOf('max-calls', value('max-calls')),
    ...(apiKey === '' ? {} : { apiKey }),
  };
}

function endpointOf(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text.replace(/\/+$/, '');
  throw wrong('endpoint', text, 'an address such as http://localhost:1234/v1');
}

function flagOf(text: string): boolean {
  if (/^(true|yes|on|1)$/i.test(text)) return true;
  if (/^(false|no|off|0)$/i.test(text)) return false;
  throw wrong('no-think', text, 'true or false');
}

function countOf(name: Name, text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw wrong(name, text, 'a number, 1 or more');
}

function wrong(name: Name, text: string, wanted: string): BackendError {
  return new BackendError(
    'bad-setting',
    `${SOURCES[name][0]} (or ${GIT_SECTION}.${name} in git's configuration) is ${JSON.stringify(text)}: it must be ${wanted}.`,
  );
}
