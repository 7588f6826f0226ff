import type { JsonObject } from '@plugboard/protocol';

const EFFORTS: ReadonlySet<string> = new Set(['low', 'medium', 'high', 'xhigh', 'max']);

/** The `--effort` argument of `claude`; `high` when the host names none or an unknown one. */
export function createEffortArguments(effort: string): readonly string[] {
  return ['--effort', EFFORTS.has(effort) ? effort : 'high'];
}

/** Linux rejects an argument of 128 KiB (MAX_ARG_STRLEN) or more. */
export const LONGEST_ARGUMENT = 100_000;

/** Whether a schema fits into `--json-schema`; otherwise it goes into the prompt. */
export function fitsArgument(schema: JsonObject): boolean {
  return Buffer.byteLength(JSON.stringify(schema)) <= LONGEST_ARGUMENT;
}

/** Print mode, which reports its steps as JSON lines; the prompt comes by stdin, which has no limit. */
export const PRINT_ARGUMENTS: readonly string[] = ['-p', '--output-format', 'stream-json', '--verbose'];

/**
 * The arguments of an operation over the pipes, except those of `withConfinement`. `dontAsk`: there is no terminal for
 * questions.
 */
export function createPipeArguments(effort: string, schema?: JsonObject): readonly string[] {
  return [
    ...PRINT_ARGUMENTS,
    '--no-session-persistence',
    ...createEffortArguments(effort),
    ...['--permission-mode', 'dontAsk'],
    ...(schema === undefined ? [] : ['--json-schema', JSON.stringify(schema)]),
  ];
}
