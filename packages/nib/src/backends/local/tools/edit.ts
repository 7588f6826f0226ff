import { randomBytes } from 'node:crypto';
import { chmodSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ProjectFile, readText, resolveProjectFile } from './project-file.ts';
import { createParameters, requireText, type Tool, ToolError } from './tool.ts';

/** Edits the files in `paths` only, which the author has named for it. */
export function createEditTool(root: string, paths: readonly string[]): Tool {
  return {
    name: 'edit',
    description:
      'Replaces a text in a file by another. The old text must stand in the file exactly once, exactly as given: add words around it until it does.',
    parameters: createParameters(
      {
        path: ['string', 'The file.'],
        old_string: ['string', 'The text to replace, exactly as it stands in the file.'],
        new_string: ['string', 'The text to put in its place.'],
      },
      ['path', 'old_string', 'new_string'],
    ),
    describe: (input) => `Correcting ${String(input.path)}`,
    run(input) {
      const file = resolveProjectFile(root, requireText(input, 'path'));
      if (!listEditable(root, paths).has(file.path))
        throw new ToolError(`${file.name} is not among the files to correct: ${paths.join(', ')}.`);
      const text = readText(file);
      replaceFile(
        file,
        replaceOnce(text, requireText(input, 'old_string'), requireText(input, 'new_string')),
      );
      return 'Done.';
    },
  };
}

function listEditable(root: string, paths: readonly string[]): ReadonlySet<string> {
  return new Set(
    paths.flatMap((path) => {
      try {
        return [resolveProjectFile(root, path).path];
      } catch {
        return [];
      }
    }),
  );
}

/** Replaces the only occurrence of a text; CRLF line ends stay. */
export function replaceOnce(text: string, before: string, after: string): string {
  if (before === '') throw new ToolError('old_string is empty: give the text that is to be replaced.');
  if (before === after) throw new ToolError('old_string and new_string are the same.');
  const crlf = text.includes('\r\n') && !before.includes('\r');
  const [old, next] = crlf ? [toCrlf(before), toCrlf(after)] : [before, after];
  const at = text.indexOf(old);
  if (at === -1)
    throw new ToolError('old_string does not stand in the file. Read it again, and copy the text exactly.');
  if (text.indexOf(old, at + 1) !== -1)
    throw new ToolError('old_string stands in the file more than once. Add words before or after it.');
  return text.slice(0, at) + next + text.slice(at + old.length);
}

function toCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

/** Writes a draft and renames it: an editor or a crash never sees a half-written scene. */
function replaceFile({ path }: ProjectFile, text: string): void {
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
