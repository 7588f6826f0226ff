import { randomBytes } from 'node:crypto';
import { chmodSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Place, placeOf, textOf } from './place.ts';
import { parametersOf, type Tool, ToolError, textIn } from './tool.ts';

/** Corrects the files that the author has given for it, and no other. */
export function editTool(root: string, paths: readonly string[]): Tool {
  return {
    name: 'edit',
    description:
      'Replaces a text in a file by another. The old text must stand in the file exactly once, exactly as given: add words around it until it does.',
    parameters: parametersOf(
      {
        path: ['string', 'The file.'],
        old_string: ['string', 'The text to replace, exactly as it stands in the file.'],
        new_string: ['string', 'The text to put in its place.'],
      },
      ['path', 'old_string', 'new_string'],
    ),
    describe: (input) => `Correcting ${String(input.path)}`,
    run(input) {
      const place = placeOf(root, textIn(input, 'path'));
      if (!editable(root, paths).has(place.path))
        throw new ToolError(`${place.name} is not among the files to correct: ${paths.join(', ')}.`);
      const text = textOf(place);
      replace(place, corrected(text, textIn(input, 'old_string'), textIn(input, 'new_string')));
      return 'Done.';
    },
  };
}

function editable(root: string, paths: readonly string[]): ReadonlySet<string> {
  return new Set(
    paths.flatMap((path) => {
      try {
        return [placeOf(root, path).path];
      } catch {
        return [];
      }
    }),
  );
}

/** A text with one place changed; files with the line ends of Windows keep them. */
export function corrected(text: string, before: string, after: string): string {
  if (before === '') throw new ToolError('old_string is empty: give the text that is to be replaced.');
  if (before === after) throw new ToolError('old_string and new_string are the same.');
  const crlf = text.includes('\r\n') && !before.includes('\r');
  const [old, next] = crlf ? [withCrlf(before), withCrlf(after)] : [before, after];
  const at = text.indexOf(old);
  if (at === -1)
    throw new ToolError('old_string does not stand in the file. Read it again, and copy the text exactly.');
  if (text.indexOf(old, at + 1) !== -1)
    throw new ToolError('old_string stands in the file more than once. Add words before or after it.');
  return text.slice(0, at) + next + text.slice(at + old.length);
}

function withCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

/** In one step: whoever has the scene open, or a crash, never meets half of it. */
function replace({ path }: Place, text: string): void {
  const next = join(dirname(path), `.nib-${randomBytes(6).toString('hex')}.tmp`);
  try {
    writeFileSync(next, text, { flag: 'wx', flush: true });
    chmodSync(next, statSync(path).mode & 0o7777);
    renameSync(next, path);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}
