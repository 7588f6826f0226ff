import { resolve } from 'node:path';
import type { Command } from '../command.ts';

/**
 * The directory that a helper is to start a command in, since its own is another. Undefined when the command is not
 * for a helper: it needs our terminal, or it cannot be put into words, which direct spawning knows the reason for.
 */
export function directoryFor(command: Command): string | undefined {
  if (command.stdio === 'inherit' || command.file === '' || holdsZero(command)) return undefined;
  try {
    return resolve(command.cwd ?? '');
  } catch {
    return undefined; // our own directory has been removed
  }
}

function holdsZero({ file, args, cwd = '', env }: Command): boolean {
  if (file.includes('\0') || cwd.includes('\0')) return true;
  for (const argument of args) if (argument.includes('\0')) return true;
  for (const name in env) if (name.includes('\0') || env[name]?.includes('\0')) return true;
  return false;
}
