import { STRING_BYTES } from '../framing/limits.ts';
import { utf8Length } from '../framing/utf8.ts';
import type { Failure } from '../model/event.ts';
import type { Program } from './program.ts';

/** As much from the front of a text as takes at most `bytes` in UTF-8, in whole code points. */
export function cutToBytes(text: string, bytes: number): string {
  let used = 0;
  let end = 0;
  for (const point of text) {
    used += utf8Length(point);
    if (used > bytes) break;
    end += point.length;
  }
  return text.slice(0, end);
}

/**
 * Why the operating system would refuse these strings, or undefined. `advice` tells the user how to shorten a string
 * that is too long.
 */
export function problemOf({ command, env, cwd = '' }: Program, advice: string): Failure | undefined {
  const args = 'argv' in command ? command.argv : [command.shell];
  for (const text of args) {
    if (!fits(text)) return complaint('an argument of the command', text, advice);
  }
  for (const [name, value] of Object.entries(env)) {
    const text = `${name}=${value}`;
    if (!fits(text)) return complaint(`the variable ${name}`, text, advice);
  }
  return fits(cwd) ? undefined : complaint('the working directory', cwd, advice);
}

function fits(text: string): boolean {
  return !text.includes('\0') && utf8Length(text) <= STRING_BYTES;
}

function complaint(what: string, text: string, advice: string): Failure {
  if (text.includes('\0'))
    return { code: 'nul', message: `There is a NUL character in ${what}, where none can be passed.` };
  const message = `This turn makes ${what} longer than the ${STRING_BYTES} bytes that a process can be given: ${advice}`;
  return { code: 'too-long', message };
}
