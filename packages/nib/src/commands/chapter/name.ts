import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { NibError } from '../../failure.ts';
import { oneLine } from '../../one-line.ts';
import { nameChapter } from '../../project/chapter-edits.ts';
import { headings } from '../../project/heading.ts';
import { bookChange, changeProject } from '../../project/project.ts';
import { wholeNumber } from '../number.ts';

/** `nib ch name` */
export function chapterName(group: Command, env: Env): void {
  group
    .command('name <chapter> [name...]')
    .alias('na')
    .description('Name a chapter, or take its name away.')
    .option('--clear', 'take the name away')
    .addHelpText('after', '\nExamples:\n  nib ch name 5 The Ferry\n  nib ch name 5 --clear')
    .action(async (chapter: string, words: readonly string[], { clear }: { clear?: boolean }) => {
      const name = oneLine(words.join(' '));
      if ((name === '') !== (clear === true)) throw new NibError('Give either a name or --clear.');
      const heading = await changeProject(env.cwd, (project) => {
        const number = wholeNumber(chapter, 'Chapter', [1, project.book.chapters.length]);
        const { change, book } = bookChange(project, nameChapter(number, name));
        return { changes: [change], result: headings(book)[number - 1] };
      });
      env.err(`Chapter ${chapter} is now ${heading}.\n`);
    });
}
