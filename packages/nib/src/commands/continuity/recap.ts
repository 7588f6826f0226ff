import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { printJson } from '../../output.ts';
import { openProject } from '../../project/project.ts';
import { scenesThrough, selectScenes } from '../../project/range.ts';
import { parseReference } from '../../project/reference.ts';
import { recapOf, unindexed } from '../../storydb/recap.ts';
import { readStory } from '../../storydb/story.ts';

interface RecapOptions {
  readonly detailed?: boolean;
  readonly character: readonly string[];
  readonly through?: string;
}

/** `nib ct recap` */
export function continuityRecap(group: Command, env: Env): void {
  group
    .command('recap <range>')
    .alias('rc')
    .description('Tell as JSON what the index knows of some chapters or scenes.')
    .option('-d, --detailed', 'with facts, places, dates and those only mentioned')
    .option('-c, --character <slug>', 'only scenes with this character (repeatable)', collect, [])
    .option('--through <scene>', 'nothing that comes after this scene')
    .addHelpText(
      'after',
      '\nExamples:\n  nib ct recap 1-5\n  nib ct recap 1-5 --detailed -c ada-byron\n  nib ct recap 1-5 --through 5.2',
    )
    .action(async (range: string, options: RecapOptions, command: Command) => {
      const { root, book } = await openProject(env.cwd);
      const story = readStory(root);
      const { scenes } = selectScenes(book, range);
      const cut =
        options.through === undefined ? undefined : scenesThrough(book, parseReference(options.through));
      const told = cut === undefined ? scenes : scenes.filter((scene) => cut.includes(scene));
      const { detailed = false, character: characters } = options;
      const recap = recapOf(book, story, told, { detailed, characters });
      const unknown = unindexed(story, told);
      if (unknown.length > 0) env.err(`Not indexed yet: ${unknown.map(({ ref }) => ref).join(', ')}.\n`);
      printJson(env, command, recap);
    });
}

function collect(value: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, value];
}
