import type { Command } from 'commander';
import type { Env } from './env.ts';
import { shownOn } from './terminal/paint.ts';

/** Prints data as JSON: on one line, or indented when the global --pretty was given. */
export function printJson(env: Env, command: Command, value: unknown): void {
  const { pretty } = command.optsWithGlobals<{ pretty?: boolean }>();
  env.out(shownOn(env, 'out', `${JSON.stringify(value, undefined, pretty === true ? 2 : undefined)}\n`));
}

/** Prints rows with their columns aligned; the last column is as long as it is. */
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
    env.out(shownOn(env, 'out', `${cells.join('  ').trimEnd()}\n`));
  }
}

/** `1 scene`, `2 scenes`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
