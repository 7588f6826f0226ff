import { type ParseArgsConfig, parseArgs } from 'node:util';

/** The command line. */
export interface Args {
  readonly command: 'stdio' | 'prompt' | 'inspect' | 'memory' | 'help' | 'version' | 'talk';
  readonly prompt: string;
  readonly json: boolean;
  /** The words after `memory`. */
  readonly rest: readonly string[];
  readonly options: Options;
}

/** Options that the configuration file has, too. */
export interface Options {
  readonly db?: string;
  readonly model?: string;
  readonly directory?: string;
  readonly config?: string;
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
  readonly allowHosts: readonly string[];
  readonly quiet: boolean;
  /** For `memory forget`, `accept` and `reject`; `out` for `memory export`. */
  readonly yes: boolean;
  readonly out?: string;
}

const OPTIONS = {
  stdio: { type: 'boolean' },
  prompt: { type: 'string', short: 'p' },
  format: { type: 'string' },
  inspect: { type: 'boolean' },
  db: { type: 'string' },
  model: { type: 'string', short: 'm' },
  directory: { type: 'string', short: 'C' },
  config: { type: 'string' },
  allow: { type: 'string', multiple: true },
  ask: { type: 'string', multiple: true },
  deny: { type: 'string', multiple: true },
  'allow-host': { type: 'string', multiple: true },
  quiet: { type: 'boolean', short: 'q' },
  yes: { type: 'boolean', short: 'y' },
  out: { type: 'string', short: 'o' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
} as const satisfies ParseArgsConfig['options'];

/** An error of the command line or the configuration: exit code 2. */
export class UsageError extends Error {}

/** Throws a `UsageError` for an invalid command line. */
export function readArgs(argv: readonly string[]): Args {
  const { values, positionals } = parseOptions(argv);
  const format = values.format ?? 'text';
  if (format !== 'text' && format !== 'json')
    throw new UsageError(`--format is text or json, not ${format}.`);
  return {
    command: commandOf(values, positionals),
    prompt: values.prompt ?? '',
    json: format === 'json',
    rest: positionals.slice(1),
    options: {
      ...optionalField('db', values.db),
      ...optionalField('model', values.model),
      ...optionalField('directory', values.directory),
      ...optionalField('config', values.config),
      ...optionalField('out', values.out),
      allow: values.allow ?? [],
      ask: values.ask ?? [],
      deny: values.deny ?? [],
      allowHosts: values['allow-host'] ?? [],
      quiet: values.quiet ?? false,
      yes: values.yes ?? false,
    },
  };
}

function parseOptions(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

type Values = ReturnType<typeof parseOptions>['values'];

function commandOf(values: Values, [first]: readonly string[]): Args['command'] {
  if (values.help === true) return 'help';
  if (values.version === true) return 'version';
  if (first === 'memory') return 'memory';
  if (first !== undefined)
    throw new UsageError(`There is no command ${JSON.stringify(first)}; to say something, use -p.`);
  if (values.stdio === true) return 'stdio';
  if (values.inspect === true) return 'inspect';
  return values.prompt === undefined ? 'talk' : 'prompt';
}

function optionalField<Name extends string>(
  name: Name,
  value: string | undefined,
): { [key in Name]?: string } {
  return value === undefined ? {} : ({ [name]: value } as { [key in Name]: string });
}
