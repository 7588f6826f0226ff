import { join } from 'node:path';
import type { Command } from 'commander';
import { addAskOptions } from '../backend/options.ts';
import type { AskOptions } from '../backend/request.ts';
import type { Env } from '../env.ts';
import { readBytesIfThere } from '../files/read-file.ts';
import type { Change } from '../files/transaction.ts';
import type { IndexOptions } from '../indexing/index-scenes.ts';
import { printJson } from '../output.ts';
import { changeProject, openProject } from '../project/project.ts';
import { selectScenes, selectScenesThrough } from '../project/range.ts';
import { parseReference } from '../project/reference.ts';
import { findTrashPath } from '../project/trash.ts';
import { findScenesWith, listCharactersIn } from '../storydb/appearances.ts';
import { TABLES } from '../storydb/columns.ts';
import { createRecap, findUnindexed } from '../storydb/recap.ts';
import { getTablePath, readStory } from '../storydb/story.ts';
import { createEmptyTable, formatTable } from '../storydb/table.ts';
import { requireConfirmation } from '../terminal/confirmation.ts';
import { parseWholeNumber } from './whole-number.ts';

const COMMANDS = [
  registerContinuityIndex,
  registerContinuityCheck,
  registerContinuityAsk,
  registerContinuityRecap,
  registerContinuityCharacters,
  registerContinuityChapters,
  registerContinuityReset,
];

/** Adds the commands of `nib continuity` in the order in which help shows them. */
export function addCommands(group: Command, env: Env): void {
  group.addHelpText('after', '\nExamples:\n  nib ct index 1-3\n  nib ct ask Who has the brass key?');
  for (const add of COMMANDS) add(group, env);
}

/** Servers of models do not accept more requests at a time. */
const MOST_JOBS = 64;

/** `nib ct index` */
function registerContinuityIndex(group: Command, env: Env): void {
  const command = group
    .command('index [range]')
    .alias('ix')
    .description('Have scenes read into the index; without a range, the scene in focus.')
    .option('-f, --force', 'also scenes that are indexed as they are')
    .option('-y, --yes', 'store what the backend finds without a review')
    .option('-j, --jobs <number>', 'how many scenes are read at a time', '4')
    .option('-v, --verbose', 'show what the backend is told');
  addAskOptions(command)
    .addHelpText('after', '\nExamples:\n  nib ct index\n  nib ct index 1-5\n  nib ct index 1-16 --yes')
    .action(async (range: string | undefined, options: Omit<IndexOptions, 'jobs'> & { jobs: string }) => {
      const jobs = parseWholeNumber(options.jobs, '--jobs', [1, MOST_JOBS]);
      const { indexScenes } = await import('../indexing/index-scenes.ts');
      await indexScenes(env, range, { ...options, jobs });
    });
}

/** `nib ct check` */
function registerContinuityCheck(group: Command, env: Env): void {
  const command = group
    .command('check <range>')
    .alias('ck')
    .description('Have the backend look for contradictions in scenes or chapters.');
  addAskOptions(command)
    .addHelpText('after', '\nExamples:\n  nib ct check 3.2\n  nib ct check 1-5')
    .action(async (range: string, options: AskOptions) => {
      const { checkContinuity } = await import('../questions/check-continuity.ts');
      await checkContinuity(env, range, options);
    });
}

/** `nib ct ask` */
function registerContinuityAsk(group: Command, env: Env): void {
  const command = group
    .command('ask <words...>')
    .alias('as')
    .description('Ask the backend a question about the story.')
    .option('-r, --range <range>', 'only about these chapters or scenes');
  addAskOptions(command)
    .addHelpText(
      'after',
      '\nExamples:\n  nib ct ask Who has the brass key?\n  nib ct ask "Who knows?" -r 1-5',
    )
    .action(async (words: readonly string[], options: AskOptions & { readonly range?: string }) => {
      const { askAboutStory } = await import('../questions/ask-about-story.ts');
      await askAboutStory(env, words.join(' '), options);
    });
}

interface RecapOptions {
  readonly detailed?: boolean;
  readonly character: readonly string[];
  readonly through?: string;
}

/** `nib ct recap` */
function registerContinuityRecap(group: Command, env: Env): void {
  group
    .command('recap <range>')
    .alias('rc')
    .description('Tell as JSON what the index knows of some chapters or scenes.')
    .option('-d, --detailed', 'with facts, places, dates and those only mentioned')
    .option('-c, --character <slug>', 'only scenes with this character (repeatable)', appendValue, [])
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
        options.through === undefined
          ? undefined
          : selectScenesThrough(book, parseReference(options.through));
      const told = cut === undefined ? scenes : scenes.filter((scene) => cut.includes(scene));
      const { detailed = false, character: characters } = options;
      const recap = createRecap(book, story, told, { detailed, characters });
      const unknown = findUnindexed(story, told);
      if (unknown.length > 0) env.err(`Not indexed yet: ${unknown.map(({ ref }) => ref).join(', ')}.\n`);
      printJson(env, command, recap);
    });
}

function appendValue(value: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, value];
}

/** `nib ct characters` */
function registerContinuityCharacters(group: Command, env: Env): void {
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
      printJson(env, command, listCharactersIn(readStory(root), slugs, all));
    });
}

/** `nib ct chapters` */
function registerContinuityChapters(group: Command, env: Env): void {
  group
    .command('chapters <character...>')
    .alias('cp')
    .description('List as JSON the scenes in which all these characters are there.')
    .option('--or', 'the scenes of each, by character')
    .addHelpText('after', '\nExamples:\n  nib ct chapters ada-byron\n  nib ct chapters ada-byron bo --or')
    .action(async (characters: readonly string[], { or }: { or?: boolean }, command: Command) => {
      const { root, book } = await openProject(env.cwd);
      const story = readStory(root);
      const refs = characters.map((slug) => findScenesWith(book, story, slug).map(({ ref }) => ref));
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

/** `nib ct reset` */
function registerContinuityReset(group: Command, env: Env): void {
  group
    .command('reset')
    .alias('rs')
    .description('Empty the index; the old files are kept in .nib/trash, and timeline.csv stays.')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', '\nExample:\n  nib ct reset --yes')
    .action(async ({ yes }: { yes?: boolean }) => {
      await openProject(env.cwd);
      await requireConfirmation(env, 'Empty the index?', yes);
      await changeProject(env.cwd, ({ root }) => {
        const changes = TABLES.filter((name) => name !== 'timeline').flatMap((name): Change[] => {
          // Moved as bytes: `reset` must also work for a file that is damaged or not UTF-8.
          const old = readBytesIfThere(join(root, getTablePath(name)));
          const fresh = { write: getTablePath(name), contents: formatTable(createEmptyTable(name)) };
          if (old === undefined || old.equals(Buffer.from(fresh.contents))) return [fresh];
          return [{ write: findTrashPath(root, getTablePath(name), env.now()), contents: old }, fresh];
        });
        return { changes, result: undefined };
      });
      env.err('The index is empty. nib ct index fills it again.\n');
    });
}
