import type { Command } from 'commander';
import type { Env } from './env.ts';
import { escapeForTerminal } from './terminal/colours.ts';

/** Prints data as JSON on one line; indented with the global `--pretty`. */
export function printJson(env: Env, command: Command, value: unknown): void {
  const { pretty } = command.optsWithGlobals<{ pretty?: boolean }>();
  env.out(
    escapeForTerminal(env, 'out', `${JSON.stringify(value, undefined, pretty === true ? 2 : undefined)}\n`),
  );
}

/** Prints rows with aligned columns; the last column is not padded. */
export function printColumns(
  env: Env,
  rows: readonly (readonly string[])[],
  right: readonly number[] = [],
): void {
  const widths = (rows[0] ?? []).map((_cell, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  for (const row of rows) {
    const cells = row.map((cell, index) => {
      const width = widths[index] ?? 0;
      return right.includes(index) ? cell.padStart(width) : cell.padEnd(width);
    });
    env.out(escapeForTerminal(env, 'out', `${cells.join('  ').trimEnd()}\n`));
  }
}

/** Formats a count with its noun: `1 scene`, `2 scenes`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
