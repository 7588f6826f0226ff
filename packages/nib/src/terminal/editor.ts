import type { Env } from '../env.ts';
import { NibError } from '../nib-error.ts';

const VARIABLES = ['NIB_EDITOR', 'VISUAL', 'EDITOR'] as const;

/** Opens a file in the editor of NIB_EDITOR, VISUAL or EDITOR and waits until it exits. */
export async function editFile(env: Env, cwd: string, file: string): Promise<void> {
  const command = findEditorCommand(env.variables);
  const end = await env.run([...command, file], { cwd });
  const name = command.join(' ');
  if (end.problem !== undefined) {
    const why = end.problem === 'not-found' ? 'is not on the PATH' : 'cannot be run';
    throw new NibError(`The editor ${name} ${why}. Set NIB_EDITOR to one that is.`);
  }
  if (end.exitCode !== 0) {
    const how = end.signal === undefined ? `with code ${end.exitCode}` : `by ${end.signal}`;
    throw new NibError(`The editor ${name} ended ${how}.`);
  }
}

/** The editor and its arguments, from the first variable that is set: `NIB_EDITOR`, `VISUAL`, `EDITOR`. */
export function findEditorCommand(variables: Env['variables']): readonly string[] {
  for (const name of VARIABLES) {
    const words = splitWords(variables[name] ?? '');
    if (words.length > 0) return words;
  }
  throw new NibError('No editor is known. Set NIB_EDITOR, VISUAL or EDITOR, for example to "code --wait".');
}

/** Splits like a shell, with quotes and backslashes, but expands no variables. */
function splitWords(text: string): readonly string[] {
  const words = text.match(/(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/g) ?? [];
  return words.map((word) =>
    word.replace(/\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'/g, (_all, escaped, double, single) => {
      return escaped ?? single ?? String(double).replace(/\\(["\\$`])/g, '$1');
    }),
  );
}
