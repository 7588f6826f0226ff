import type { CommandSpec } from '../../contract/host-side.ts';
import { STRING_BYTES } from '../../framing/limits.ts';
import { utf8Length } from '../../framing/utf8.ts';
import type { Failure } from '../../model/event.ts';
import { quotingProblem } from './shell.ts';

const PLACEHOLDER = '{message}';

/** Whether the text of the turn is part of the command. */
export function takesMessage(command: CommandSpec): boolean {
  return 'shell' in command ? command.shell.includes(PLACEHOLDER) : command.argv.includes(PLACEHOLDER);
}

/** Why a command template cannot be used safely, or undefined when it can. */
export function templateProblem(command: CommandSpec): string | undefined {
  if ('shell' in command)
    return takesMessage(command) ? quotingProblem(command.shell, PLACEHOLDER) : undefined;
  // As a part of a longer word, for example in the argument of `sh -c`, the message could become script: arguments of a
  // list are not quoted.
  const part = command.argv.find((word) => word !== PLACEHOLDER && word.includes(PLACEHOLDER));
  return part === undefined
    ? undefined
    : `In a list, ${PLACEHOLDER} must be a word of its own, not a part of "${part}".`;
}

/** The command with the user's text filled in, or the `Failure` that prevents it. */
export function fillMessage(command: CommandSpec, message: string): CommandSpec | Failure {
  if (!takesMessage(command)) return command;
  const text = message.trim();
  const problem = templateProblem(command);
  if (problem !== undefined) return { code: 'unsafe-template', message: problem };
  if (text.includes('\0')) {
    return { code: 'nul', message: 'The message contains a NUL character, which no command line can carry.' };
  }
  const filled = fill(command, text);
  const longest = 'shell' in filled ? filled.shell : text;
  if (utf8Length(longest) > STRING_BYTES) {
    return {
      code: 'too-long',
      message:
        'The message is too long for a command line: let the agent read it from stdin instead of {message}.',
    };
  }
  return filled;
}

function fill(command: CommandSpec, text: string): CommandSpec {
  if ('shell' in command) return { shell: command.shell.split(PLACEHOLDER).join(quote(text)) };
  return { argv: command.argv.map((arg) => (arg === PLACEHOLDER ? text : arg)) };
}

/** A POSIX single-quoted word. */
function quote(text: string): string {
  return `'${text.split("'").join(`'\\''`)}'`;
}
