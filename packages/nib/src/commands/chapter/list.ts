import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { counted, printColumns, printJson } from '../../output.ts';
import { headings } from '../../project/heading.ts';
import { openProject } from '../../project/project.ts';

/** `nib ch list` */
export function chapterList(group: Command, env: Env): void {
  group
    .command('list')
    .alias('ls')
    .description('List the chapters.')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  nib ch list\n  nib ch list --json --pretty')
    .action(async ({ json }: { json?: boolean }, command: Command) => {
      const { book } = await openProject(env.cwd);
      const shown = headings(book);
      const rows = book.chapters.map(({ number, interlude, scenes }, index) => {
        return { chapter: number, heading: shown[index] ?? '', interlude, scenes: scenes.length };
      });
      if (json === true) return printJson(env, command, rows);
      printColumns(
        env,
        rows.map(({ chapter, heading, scenes }) => [String(chapter), heading, counted(scenes, 'scene')]),
        [0],
      );
    });
}
