import type { CommandSpec } from '../contract/host-side.ts';
import { isObject } from '../framing/json.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';

/**
 * Keys of `config.toml` that keep the program from the network beside its model: plugins and apps are looked up at each
 * start.
 */
const QUIET: JsonObject = {
  'features.plugins': false,
  'features.apps': false,
  'analytics.enabled': false,
  check_for_update_on_startup: false,
};

/** Keeps escape sequences out of stderr, which goes to logs. `env` of the profile takes precedence. */
export const PLAIN_OUTPUT: Readonly<Record<string, string>> = { NO_COLOR: '1' };

/** The `-c` flags of a profile. `config` takes precedence over `QUIET`. */
export function configFlags(config: JsonObject): string[] {
  return Object.entries({ ...QUIET, ...config }).flatMap(([key, value]) => [
    '-c',
    `${key}=${writeToml(value ?? '')}`,
  ]);
}

/** A value of TOML on one line. A JSON string is a basic string of TOML as well. */
function writeToml(value: JsonValue): string {
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(writeToml).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value ?? '');
  const pairs = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)} = ${writeToml(one ?? '')}`);
  return `{ ${pairs.join(', ')} }`;
}

/** A command with further words at its end. */
export function withWords(command: CommandSpec, words: readonly string[]): CommandSpec {
  if ('shell' in command) return { shell: [command.shell, ...words.map(quoteWord)].join(' ') };
  return { argv: [...command.argv, ...words] };
}

/** Whether a command contains `word`, for example the subcommand. */
export function hasWord(command: CommandSpec, word: string): boolean {
  const words = 'shell' in command ? command.shell.split(/\s+/) : command.argv;
  return words.includes(word);
}

function quoteWord(word: string): string {
  return /^[\w./:=,@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
