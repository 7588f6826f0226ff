import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { moveChapter } from '../../project/chapter-edits.ts';
import { followFocus } from '../../project/focus.ts';
import { bookChange, changeProject } from '../../project/project.ts';
import { wholeNumber } from '../number.ts';

/** `nib ch move` */
export function chapterMove(group: Command, env: Env): void {
  group
    .command('move <from> <to>')
    .alias('mv')
    .description('Move a chapter to another place in the book.')
    .addHelpText('after', '\nExample:\n  nib ch move 5 2')
    .action(async (from: string, to: string) => {
      await changeProject(env.cwd, (project) => {
        const bounds = [1, project.book.chapters.length] as const;
        const edit = moveChapter(wholeNumber(from, 'Chapter', bounds), wholeNumber(to, 'Place', bounds));
        const { change, book } = bookChange(project, edit);
        return { changes: [change, ...followFocus(project.root, project.book, book)], result: undefined };
      });
      env.err(`Moved chapter ${from} to ${to}.\n`);
    });
}
