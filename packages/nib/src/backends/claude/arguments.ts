import type { JsonObject } from '@plugboard/protocol';

const EFFORTS: ReadonlySet<string> = new Set(['low', 'medium', 'high', 'xhigh', 'max']);

/** The effort in the words of `claude`; high when the host names none, or one that nobody knows. */
export function effortArguments(effort: string): readonly string[] {
  return ['--effort', EFFORTS.has(effort) ? effort : 'high'];
}

/** Linux takes no argument of 128 KiB or more. */
export const LONGEST_ARGUMENT = 100_000;

/** Whether a schema fits on the command line; one that does not has to be told in words. */
export function fitsArgument(schema: JsonObject): boolean {
  return Buffer.byteLength(JSON.stringify(schema)) <= LONGEST_ARGUMENT;
}

/** A run over the pipes, which prints its steps; the prompt comes by stdin, which has no limit. */
export const PRINTING: readonly string[] = ['-p', '--output-format', 'stream-json', '--verbose'];

/** The arguments of an operation over the pipes, except those of `withConfinement`; there is no terminal for questions. */
export function pipeArguments(effort: string, schema?: JsonObject): readonly string[] {
  return [
    ...PRINTING,
    '--no-session-persistence',
    ...effortArguments(effort),
    ...['--permission-mode', 'dontAsk'],
    ...(schema === undefined ? [] : ['--json-schema', JSON.stringify(schema)]),
  ];
}
