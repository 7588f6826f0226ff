import { realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';

/** Words without white space and without characters that a shell interprets. */
const PLAIN = /^[\w@%+=:,./-]+$/;

/** The words of a command, with relative file names rewritten so that they are found from the folder of `config`. */
export function movedWords(words: readonly string[], config: string): readonly string[] {
  return words.map((word, at) => movedWord(word, at === 0, config));
}

/** As `movedWords` for a command in one string; a moved path that would need quotes is left unchanged. */
export function movedText(text: string, config: string): string {
  return text.replace(/\S+/g, (word, at: number) => {
    const path = movedWord(word, text.slice(0, at).trim() === '', config);
    return PLAIN.test(path) ? path : word;
  });
}

/** A program without a slash is looked for on the PATH, wherever one is. */
function movedWord(word: string, isProgram: boolean, config: string): string {
  const folder = dirname(resolve(config));
  if (folder === process.cwd() || isAbsolute(word) || (isProgram && !word.includes('/'))) return word;
  if (statSync(word, { throwIfNoEntry: false })?.isFile() !== true) return word;
  // Behind a link, `..` leads elsewhere than it seems.
  if (realpathSync(folder) !== folder) return resolve(word);
  const path = relative(folder, resolve(word));
  return path.startsWith('../') ? path : `./${path}`;
}
