import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { printJson } from '../../output.ts';
import { openProject } from '../../project/project.ts';
import { scenesWith } from '../../storydb/appearances.ts';
import { readStory } from '../../storydb/story.ts';

/** `nib ct chapters` */
export function continuityChapters(group: Command, env: Env): void {
  group
    .command('chapters <character...>')
    .alias('cp')
    .description('List as JSON the scenes in which all these characters are there.')
    .option('--or', 'the scenes of each, by character')
    .addHelpText('after', '\nExamples:\n  nib ct chapters ada-byron\n  nib ct chapters ada-byron bo --or')
    .action(async (characters: readonly string[], { or }: { or?: boolean }, command: Command) => {
      const { root, book } = await openProject(env.cwd);
      const story = readStory(root);
      const refs = characters.map((slug) => scenesWith(book, story, slug).map(({ ref }) => ref));
      if (or === true) {
        const each = characters.map((slug, index) => [slug, refs[index] ?? []] as const);
        return printJson(env, command, Object.fromEntries(each));
      }
      const [first = [], ...others] = refs;
      printJson(
        env,
        command,
        first.filter((ref) => others.every((list) => list.includes(ref))),
      );
    });
}
