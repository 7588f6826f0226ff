import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { printJson } from '../../output.ts';
import { headings } from '../../project/heading.ts';
import { openProject } from '../../project/project.ts';

/** `nib ma toc` */
export function manuscriptToc(group: Command, env: Env): void {
  group
    .command('toc')
    .alias('tc')
    .description('Show the table of contents with the references other commands take.')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  nib ma toc\n  nib ma toc --json --pretty')
    .action(async ({ json }: { json?: boolean }, command: Command) => {
      const { book } = await openProject(env.cwd);
      const shown = headings(book);
      const chapters = book.chapters.map(({ number, interlude, scenes }, index) => ({
        chapter: number,
        heading: shown[index] ?? '',
        interlude,
        scenes: scenes.map(({ ref, slug, path }) => ({ ref, slug, path })),
      }));
      if (json === true) return printJson(env, command, { title: book.title, author: book.author, chapters });
      if (book.title !== '') env.out(`${book.title}\n\n`);
      for (const { chapter, heading, scenes } of chapters) {
        env.out(`${chapter}  ${heading}\n`);
        for (const { ref, slug } of scenes) env.out(`    ${ref}  ${slug}\n`);
      }
    });
}
