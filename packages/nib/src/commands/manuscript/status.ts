import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { type Status, statusOf } from '../../manuscript/status.ts';
import { counted, printColumns, printJson } from '../../output.ts';
import { allScenes } from '../../project/book.ts';
import { openProject } from '../../project/project.ts';
import { encodingWarning } from '../../project/scene-file.ts';
import { readStory } from '../../storydb/story.ts';

/** `nib ma status` */
export function manuscriptStatus(group: Command, env: Env): void {
  group
    .command('status')
    .alias('st')
    .description('Show words per scene and chapter, and which scenes are indexed, stale or missing.')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  nib ma status\n  nib ma status --json --pretty')
    .action(async ({ json }: { json?: boolean }, command: Command) => {
      const project = await openProject(env.cwd);
      const status = statusOf(project, readStory(project.root));
      env.err(encodingWarning(project, allScenes(project.book), 'so their words are miscounted'));
      if (json === true) printJson(env, command, status);
      else print(env, status);
    });
}

function print(env: Env, { words, chapters }: Status): void {
  const rows = chapters.flatMap((chapter) => [
    [String(chapter.chapter), String(chapter.words), '', chapter.heading],
    ...chapter.scenes.map(({ ref, words: count, state, slug }) => [`  ${ref}`, String(count), state, slug]),
  ]);
  printColumns(env, rows, [1]);
  const scenes = chapters.flatMap((chapter) => chapter.scenes);
  const indexed = scenes.filter(({ state }) => state === 'indexed').length;
  env.out(
    `${counted(words, 'word')} in ${counted(scenes.length, 'scene')} and ${counted(chapters.length, 'chapter')}; ${indexed} indexed.\n`,
  );
}
