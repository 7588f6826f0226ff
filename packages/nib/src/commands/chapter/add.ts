import type { Command } from 'commander';
import type { Env } from '../../env.ts';
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
    .command('add')
    .alias('ad')
    .description('Add a chapter at the end, or before another.')
    .option('-n, --name <name>', 'its name (default: a number in words)')
    .option('-i, --interlude', 'an interlude, which takes no number')
    .option('--at <number>', 'where to put it')
    .addHelpText('after', '\nExamples:\n  nib ch add\n  nib ch add --name "The Ferry" --at 3')
    .action(async ({ name = '', interlude = false, at }: AddOptions) => {
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
