import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { insideProject } from '../../files/inside.ts';
import type { Change } from '../../files/transaction.ts';
import { insertScene } from '../../project/chapter-edits.ts';
import { focusChange } from '../../project/focus.ts';
import { bookChange, changeProject } from '../../project/project.ts';
import { chapterAt } from '../../project/reference.ts';
import { wholeNumber } from '../number.ts';
import { newSlug } from './new-slug.ts';

/** `nib sc add` */
export function sceneAdd(group: Command, env: Env): void {
  group
    .command('add <chapter> <name...>')
    .alias('ad')
    .description('Add a scene to a chapter and put it into focus.')
    .option('--at <number>', 'where in the chapter (default: at its end)')
    .addHelpText('after', '\nExamples:\n  nib sc add 1 opening\n  nib sc add 3 The Lamp Goes Out --at 2')
    .action(async (chapter: string, words: readonly string[], { at }: { at?: string }) => {
      const added = await changeProject(env.cwd, (project) => {
        const { root, book } = project;
        const slug = newSlug(book, words.join(' '));
        const number = wholeNumber(chapter, 'Chapter', [1, book.chapters.length]);
        const { scenes, directory } = chapterAt(book, number);
        const end = scenes.length + 1;
        const position = at === undefined ? end : wholeNumber(at, '--at', [1, end]);
        const { change } = bookChange(project, insertScene({ chapter: number, position }, slug));
        const path = join(directory, `${slug}.md`);
        const found = existsSync(insideProject(root, path));
        const changes: Change[] = [change, focusChange(root, { chapter: number, scene: slug })];
        if (!found) changes.push({ write: path, contents: '' });
        return { changes, result: { ref: `${number}.${position}`, path, found } };
      });
      const note = added.found ? ', whose file was there already' : '';
      env.err(`Added scene ${added.ref}, ${added.path}${note}. It is in focus.\n`);
    });
}
