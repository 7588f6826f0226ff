import type { CommandSpec } from '@plugboard/protocol';

/** A command as a profile gives it. */
export interface WrittenCommand {
  readonly command: string | readonly string[];
  readonly args?: readonly string[];
}

/** Splits on white space; quotes have no meaning. */
export function splitCommand({ command, args = [] }: WrittenCommand): CommandSpec {
  const words = typeof command === 'string' ? command.split(/\s+/).filter((word) => word !== '') : command;
  return { argv: [...words, ...args] };
}

/** One word. */
export function wholeCommand({ command, args = [] }: WrittenCommand): CommandSpec {
  return { argv: typeof command === 'string' ? [command, ...args] : [...command, ...args] };
}

/** A line for the shell, unless `command` is a list or `args` is not empty. */
export function shellCommand({ command, args = [] }: WrittenCommand): CommandSpec {
  if (typeof command !== 'string') return { argv: [...command, ...args] };
  return args.length === 0 ? { shell: command } : { argv: [command, ...args] };
}
