import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { printJson } from '../../output.ts';
import { openProject } from '../../project/project.ts';
import { selectScenes } from '../../project/range.ts';
import { charactersIn } from '../../storydb/appearances.ts';
import { readStory } from '../../storydb/story.ts';

/** `nib ct characters` */
export function continuityCharacters(group: Command, env: Env): void {
  group
    .command('characters [range]')
    .alias('ch')
    .description('List the characters of the indexed scenes as JSON.')
    .option('-a, --all', 'also those only mentioned')
    .addHelpText('after', '\nExamples:\n  nib ct characters\n  nib ct characters 1-5 --all')
    .action(async (range: string | undefined, { all = false }: { all?: boolean }, command: Command) => {
      const { root, book } = await openProject(env.cwd);
      const scenes = range === undefined ? undefined : selectScenes(book, range).scenes;
      const slugs = scenes === undefined ? undefined : new Set(scenes.map(({ slug }) => slug));
      printJson(env, command, charactersIn(readStory(root), slugs, all));
    });
}
