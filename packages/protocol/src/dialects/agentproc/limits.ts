import { STRING_BYTES } from '../../framing/limits.ts';
import { utf8Length } from '../../framing/utf8.ts';
import type { Failure } from '../../model/event.ts';
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

/** Why a process cannot be given these strings, or undefined; `advice` says what to do about one too long. */
export function problemOf(program: Program, advice: string): Failure | undefined {
  for (const { what, text } of stringsOf(program)) {
    if (text.includes('\0')) {
      return { code: 'nul', message: `There is a NUL character in ${what}, where none can be passed.` };
    }
    if (utf8Length(text) > STRING_BYTES) {
      return {
        code: 'too-long',
        message: `This turn makes ${what} longer than the ${STRING_BYTES} bytes that a process can be given: ${advice}`,
      };
    }
  }
  return undefined;
}

function stringsOf({ command, env, cwd }: Program) {
  const args = 'argv' in command ? command.argv : [command.shell];
  return [
    ...args.map((text) => ({ what: 'an argument of the command', text })),
    ...Object.entries(env).map(([name, value]) => ({
      what: `the variable ${name}`,
      text: `${name}=${value}`,
    })),
    { what: 'the working directory', text: cwd ?? '' },
  ];
}
