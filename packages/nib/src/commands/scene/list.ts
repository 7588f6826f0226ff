import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { printColumns, printJson } from '../../output.ts';
import { allScenes } from '../../project/book.ts';
import { readFocus } from '../../project/focus.ts';
import { openProject } from '../../project/project.ts';
import { chapterAt } from '../../project/reference.ts';
import { wholeNumber } from '../number.ts';

interface ListOptions {
  readonly chapter?: string;
  readonly json?: boolean;
}

/** `nib sc list` */
export function sceneList(group: Command, env: Env): void {
  group
    .command('list')
    .alias('ls')
    .description('List the scenes; a star marks the one in focus.')
    .option('-c, --chapter <number>', 'only those of a chapter')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  nib sc list\n  nib sc list --chapter 3')
    .action(async ({ chapter, json }: ListOptions, command: Command) => {
      const { root, book } = await openProject(env.cwd);
      const scenes =
        chapter === undefined
          ? allScenes(book)
          : chapterAt(book, wholeNumber(chapter, 'Chapter', [1, book.chapters.length])).scenes;
      if (json === true) {
        return printJson(
          env,
          command,
          scenes.map(({ ref, slug, path }) => ({ ref, slug, path })),
        );
      }
      const focus = readFocus(root);
      const rows = scenes.map(({ ref, slug, path, chapter: number }) => {
        const focused = focus?.chapter === number && focus.scene === slug;
        return [focused ? '*' : ' ', ref, slug, path];
      });
      printColumns(env, rows);
    });
}
