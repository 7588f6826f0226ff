import type { JsonObject } from '@plugboard/protocol';

/** Reading is harmless anywhere in the project; of commands, only those of nib that tell what the index knows. */
const LOOKING = ['Read', 'Grep', 'Glob'];
const RESEARCH = [
  ...LOOKING,
  'Bash(nib ct recap:*)',
  'Bash(nib ct characters:*)',
  'Bash(nib ct chapters:*)',
  'Bash(nib ma toc:*)',
];

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'scene-proof': ['Read', 'Edit'],
  'chapter-proof': ['Read', 'Edit'],
  'voice-check': LOOKING,
  'manuscript-search': LOOKING,
  'continuity-index': ['Read'],
  // The character knows what the context says, and nothing else.
  'character-talk': [],
};

/** The tools that an operation may use without asking; over the pipes nobody could be asked. */
function allowedTools(operation: string): readonly string[] {
  return (Object.hasOwn(ALLOWED, operation) ? ALLOWED[operation] : undefined) ?? RESEARCH;
}

const EFFORTS: ReadonlySet<string> = new Set(['low', 'medium', 'high', 'xhigh', 'max']);

/** The effort in the words of `claude`; high when the host names none, or one that nobody knows. */
function effortArguments(effort: string): readonly string[] {
  return ['--effort', EFFORTS.has(effort) ? effort : 'high'];
}

/** Linux takes no argument of 128 KiB or more. */
export const LONGEST_ARGUMENT = 100_000;

/** Whether a schema fits on the command line; one that does not has to be told in words. */
export function fitsArgument(schema: JsonObject): boolean {
  return Buffer.byteLength(JSON.stringify(schema)) <= LONGEST_ARGUMENT;
}

/** The arguments of an operation over the pipes. The prompt comes by stdin, which has no limit. */
export function pipeArguments(operation: string, effort: string, schema?: JsonObject): readonly string[] {
  const tools = allowedTools(operation);
  return [
    '-p',
    '--output-format',
    'stream-json',
    '--verbose',
    '--no-session-persistence',
    ...effortArguments(effort),
    ...(tools.length === 0 ? [] : ['--allowedTools', tools.join(',')]),
    ...(schema === undefined ? [] : ['--json-schema', JSON.stringify(schema)]),
  ];
}

/** The arguments of an operation at the terminal, but for its session and its prompt. */
export function talkArguments(operation: string, effort: string): readonly string[] {
  const tools = allowedTools(operation);
  return [...effortArguments(effort), ...(tools.length === 0 ? [] : ['--allowedTools', tools.join(',')])];
}
