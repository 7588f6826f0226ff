import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { NibError } from '../../failure.ts';
import { counted } from '../../output.ts';
import { deleteChapter } from '../../project/chapter-edits.ts';
import { bookChange, changeProject, openProject } from '../../project/project.ts';
import { chapterAt } from '../../project/reference.ts';
import { confirm } from '../../terminal/ask.ts';
import { wholeNumber } from '../number.ts';
import { discard } from '../scene/discard.ts';

/** `nib ch remove` */
export function chapterRemove(group: Command, env: Env): void {
  group
    .command('remove <chapter>')
    .alias('rm')
    .description('Remove a chapter with its scenes; their files are kept in .nib/trash.')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', '\nExample:\n  nib ch remove 3')
    .action(async (chapter: string, { yes }: { yes?: boolean }) => {
      const { book } = await openProject(env.cwd);
      const number = wholeNumber(chapter, 'Chapter', [1, book.chapters.length]);
      const { scenes } = chapterAt(book, number);
      if (scenes.length > 0) {
        await confirm(env, `Remove chapter ${number} with its ${counted(scenes.length, 'scene')}?`, yes);
      }
      const kept = await changeProject(env.cwd, (project) => {
        const gone = chapterAt(project.book, number).scenes;
        if (gone.map(({ path }) => path).join('\n') !== scenes.map(({ path }) => path).join('\n')) {
          throw new NibError('The book has changed meanwhile. Nothing was removed.');
        }
        const edited = bookChange(project, deleteChapter(number));
        const { changes, trashed } = discard(project, gone, edited.book, env.now());
        return { changes: [edited.change, ...changes], result: trashed };
      });
      env.err(`Removed chapter ${number}.\n`);
      for (const { path, trash } of kept) env.err(`${path} is kept as ${trash}.\n`);
    });
}
