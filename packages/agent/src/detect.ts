import {
  type DialectName,
  dialects,
  isServed,
  type JsonValue,
  parseJson,
  type ServedDialect,
} from '@plugboard/protocol';

/** The facts that an agent knows before it reads any input. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The arguments of the agent; those after `--` are for a program that it starts. */
  readonly argv: readonly string[];
  readonly terminal: boolean;
  /** Content of the request file, when the host named one. */
  readonly requestFile: string | undefined;
}

/**
 * How the agent talks to its host: in a dialect, in plain text with a person, or not at all because the request is
 * `broken`.
 */
export type Manner = DialectName | 'text' | 'broken';

/** At each call: a dialect may be registered after this module was loaded. */
function findDialect(matches: (dialect: ServedDialect) => boolean | undefined): DialectName | undefined {
  return (Object.keys(dialects) as DialectName[]).find((name) => {
    const dialect = dialects[name];
    return isServed(dialect) && matches(dialect);
  });
}

/**
 * The manner that `startArguments`, variables or a terminal show, in this order; undefined when the input must decide.
 */
export function detectEarly({ environment, argv, terminal, requestFile }: Surroundings): Manner | undefined {
  const own = ownArguments(argv);
  const context = { environment, ...(requestFile === undefined ? {} : { requestFile }) };
  return (
    findDialect(({ startArguments }) => startArguments?.every((argument) => own.includes(argument))) ??
    findDialect(({ agent }) => agent.isStartedBy?.(context)) ??
    (terminal ? 'text' : undefined)
  );
}

function ownArguments(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end === -1 ? argv : argv.slice(0, end);
}

/** The manner of the first line; undefined when `line` may be the beginning of a longer JSON document. */
export function detectLine(line: string, complete: boolean): Manner | undefined {
  if (!/^\s*\{/.test(line)) return 'text';
  const parsed = parseJson(line);
  if (parsed.ok) return detectValue(parsed.value);
  if (!complete) return undefined;
  // Half a request must not be taken for text that a person has typed.
  return /^\s*\{\s*"/.test(line) ? (detectHalf(line) ?? 'broken') : 'text';
}

/** The dialect of an incomplete request, which can then be refused in that dialect. */
export function detectHalf(line: string): DialectName | undefined {
  return findDialect(({ agent }) => agent.recognisesHalf?.(line));
}

function detectValue(value: JsonValue): Manner {
  return findDialect(({ agent }) => agent.recognises?.(value)) ?? 'text';
}
