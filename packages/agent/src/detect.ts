import { type DialectName, dialects, type JsonValue, parseJson } from '@plugboard/protocol';

/** What an agent can see before it has read any input. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The arguments of the agent; those after `--` are for a program that it starts. */
  readonly argv: readonly string[];
  readonly terminal: boolean;
}

/** How the agent is to talk: in a dialect, in plain text with a person, or not at all since the request is broken. */
export type Manner = DialectName | 'text' | 'broken';

/** The manner that the surroundings already give away, or undefined when the input must tell. */
export function detectEarly({ environment, argv, terminal }: Surroundings): Manner | undefined {
  if (ownArguments(argv).includes('--stdio')) return 'nuum';
  if (nonEmpty(environment.NIB_AGENT_REQUEST_FILE)) return 'nib';
  if (environment.AGENT_MESSAGE !== undefined) return 'agentproc';
  return terminal ? 'text' : undefined;
}

function ownArguments(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end === -1 ? argv : argv.slice(0, end);
}

/** The manner that a first line of input speaks, or undefined when it is only the beginning of a document. */
export function detectLine(line: string, complete: boolean): Manner | undefined {
  if (!/^\s*\{/.test(line)) return 'text';
  const parsed = parseJson(line);
  if (parsed.ok) return detectValue(parsed.value);
  if (!complete) return undefined;
  // Half a request must not be taken for something that a person has said.
  return /^\s*\{\s*"/.test(line) ? (detectHalf(line) ?? 'broken') : 'text';
}

/** Whose request a line is only half of: that host can be told in its own words. */
export function detectHalf(line: string): DialectName | undefined {
  if (/"operation"\s*:/.test(line)) return 'nib';
  if (/"type"\s*:\s*"turn"/.test(line)) return 'agentproc/v4';
  return /"version"\s*:/.test(line) ? 'terminal' : undefined;
}

function detectValue(value: JsonValue): Manner {
  const names = Object.keys(dialects) as DialectName[];
  return names.find((name) => dialects[name].agent.recognises?.(value) === true) ?? 'text';
}

function nonEmpty(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
