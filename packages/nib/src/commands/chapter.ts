import type { Command } from 'commander';
import type { Env } from '../env.ts';
import { NibError } from '../nib-error.ts';
import { toOneLine } from '../one-line.ts';
import { formatCount, printColumns, printJson } from '../output.ts';
import { deleteChapter, insertChapter, moveChapter, nameChapter } from '../project/chapter-edits.ts';
import { followFocus } from '../project/focus.ts';
import { createHeadings } from '../project/headings.ts';
import { changeProject, createBookChange, openProject } from '../project/project.ts';
import { getChapter } from '../project/reference.ts';
import { requireConfirmation } from '../terminal/confirmation.ts';
import { removeScenes } from './scene/remove-scenes.ts';
import { parseWholeNumber } from './whole-number.ts';

/** Adds the commands of `nib chapter` in the order in which help shows them. */
export function addCommands(group: Command, env: Env): void {
  group.addHelpText('after', '\nExamples:\n  nib ch add --name "The Ferry"\n  nib ch list');
  for (const add of [
    registerChapterAdd,
    registerChapterList,
    registerChapterMove,
    registerChapterName,
    registerChapterRemove,
  ])
    add(group, env);
}

interface AddOptions {
  readonly name?: string;
  readonly interlude?: boolean;
  readonly at?: string;
}

/** `nib ch add` */
function registerChapterAdd(group: Command, env: Env): void {
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
        const number = at === undefined ? end : parseWholeNumber(at, '--at', [1, end]);
        const edited = createBookChange(project, insertChapter(number, { name: toOneLine(name), interlude }));
        const changes = [edited.change, ...followFocus(project.root, book, edited.book)];
        return { changes, result: `${number}, ${createHeadings(edited.book)[number - 1]}` };
      });
      env.err(`Added chapter ${heading}.\n`);
    });
}

/** `nib ch list` */
function registerChapterList(group: Command, env: Env): void {
  group
    .command('list')
    .alias('ls')
    .description('List the chapters.')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  nib ch list\n  nib ch list --json --pretty')
    .action(async ({ json }: { json?: boolean }, command: Command) => {
      const { book } = await openProject(env.cwd);
      const shown = createHeadings(book);
      const rows = book.chapters.map(({ number, interlude, scenes }, index) => {
        return { chapter: number, heading: shown[index] ?? '', interlude, scenes: scenes.length };
      });
      if (json === true) return printJson(env, command, rows);
      printColumns(
        env,
        rows.map(({ chapter, heading, scenes }) => [String(chapter), heading, formatCount(scenes, 'scene')]),
        [0],
      );
    });
}

/** `nib ch move` */
function registerChapterMove(group: Command, env: Env): void {
  group
    .command('move <from> <to>')
    .alias('mv')
    .description('Move a chapter to another place in the book.')
    .addHelpText('after', '\nExample:\n  nib ch move 5 2')
    .action(async (from: string, to: string) => {
      await changeProject(env.cwd, (project) => {
        const bounds = [1, project.book.chapters.length] as const;
        const edit = moveChapter(
          parseWholeNumber(from, 'Chapter', bounds),
          parseWholeNumber(to, 'Place', bounds),
        );
        const { change, book } = createBookChange(project, edit);
        return { changes: [change, ...followFocus(project.root, project.book, book)], result: undefined };
      });
      env.err(`Moved chapter ${from} to ${to}.\n`);
    });
}

/** `nib ch name` */
function registerChapterName(group: Command, env: Env): void {
  group
    .command('name <chapter> [name...]')
    .alias('na')
    .description('Name a chapter, or take its name away.')
    .option('--clear', 'take the name away')
    .addHelpText('after', '\nExamples:\n  nib ch name 5 The Ferry\n  nib ch name 5 --clear')
    .action(async (chapter: string, words: readonly string[], { clear }: { clear?: boolean }) => {
      const name = toOneLine(words.join(' '));
      if ((name === '') !== (clear === true)) throw new NibError('Give either a name or --clear.');
      const heading = await changeProject(env.cwd, (project) => {
        const number = parseWholeNumber(chapter, 'Chapter', [1, project.book.chapters.length]);
        const { change, book } = createBookChange(project, nameChapter(number, name));
        return { changes: [change], result: createHeadings(book)[number - 1] };
      });
      env.err(`Chapter ${chapter} is now ${heading}.\n`);
    });
}

/** `nib ch remove` */
function registerChapterRemove(group: Command, env: Env): void {
  group
    .command('remove <chapter>')
    .alias('rm')
    .description('Remove a chapter with its scenes; their files are kept in .nib/trash.')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', '\nExample:\n  nib ch remove 3')
    .action(async (chapter: string, { yes }: { yes?: boolean }) => {
      const { book } = await openProject(env.cwd);
      const number = parseWholeNumber(chapter, 'Chapter', [1, book.chapters.length]);
      const { scenes } = getChapter(book, number);
      if (scenes.length > 0) {
        await requireConfirmation(
          env,
          `Remove chapter ${number} with its ${formatCount(scenes.length, 'scene')}?`,
          yes,
        );
      }
      const kept = await changeProject(env.cwd, (project) => {
        const gone = getChapter(project.book, number).scenes;
        if (gone.map(({ path }) => path).join('\n') !== scenes.map(({ path }) => path).join('\n')) {
          throw new NibError('The book has changed meanwhile. Nothing was removed.');
        }
        const edited = createBookChange(project, deleteChapter(number));
        const { changes, trashed } = removeScenes(project, gone, edited.book, env.now());
        return { changes: [edited.change, ...changes], result: trashed };
      });
      env.err(`Removed chapter ${number}.\n`);
      for (const { path, trash } of kept) env.err(`${path} is kept as ${trash}.\n`);
    });
}
