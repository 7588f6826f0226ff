import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { NibError } from '../../failure.ts';
import { oneLine } from '../../one-line.ts';
import { insertChapter } from '../../project/chapter-edits.ts';
import { followFocus } from '../../project/focus.ts';
import { headings } from '../../project/heading.ts';
import { bookChange, changeProject } from '../../project/project.ts';
import { wholeNumber } from '../number.ts';

interface AddOptions {
  readonly name?: string;
  readonly interlude?: boolean;
  readonly at?: string;
}

/** `nib ch add` */
export function chapterAdd(group: Command, env: Env): void {
  group
    .command('add [name...]')
    .alias('ad')
    .description('Add a chapter at the end, or before another.')
    .option('-n, --name <name>', 'its name, which can also be said without this (default: a number in words)')
    .option('-i, --interlude', 'an interlude, which takes no number')
    .option('--at <number>', 'where to put it')
    .addHelpText('after', '\nExamples:\n  nib ch add\n  nib ch add The Ferry --at 3')
    .action(async (words: readonly string[], { interlude = false, at, ...options }: AddOptions) => {
      if (words.length > 0 && options.name !== undefined)
        throw new NibError('The name was given twice: say it with --name or without, and not both.');
      const name = options.name ?? words.join(' ');
      const heading = await changeProject(env.cwd, (project) => {
        const { book } = project;
        const end = book.chapters.length + 1;
        const number = at === undefined ? end : wholeNumber(at, '--at', [1, end]);
        const edited = bookChange(project, insertChapter(number, { name: oneLine(name), interlude }));
        const changes = [edited.change, ...followFocus(project.root, book, edited.book)];
        return { changes, result: `${number}, ${headings(edited.book)[number - 1]}` };
      });
      env.err(`Added chapter ${heading}.\n`);
    });
}
