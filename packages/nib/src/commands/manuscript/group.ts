import type { Command } from 'commander';
import { addAskOptions, addEffortOption } from '../../backend/options.ts';
import type { AskOptions } from '../../backend/request.ts';
import type { Env } from '../../env.ts';
import type { ConvertOptions } from '../../manuscript/convert-encoding.ts';
import { measureStatus, type Status } from '../../manuscript/status.ts';
import { formatCount, printColumns, printJson } from '../../output.ts';
import { listScenes } from '../../project/book.ts';
import { createHeadings } from '../../project/headings.ts';
import { openProject } from '../../project/project.ts';
import { formatEncodingWarning } from '../../project/scene-file.ts';
import type { ProofOptions } from '../../proof/proof.ts';
import { readStory } from '../../storydb/story.ts';
import { registerManuscriptBuild } from './build.ts';
import { registerManuscriptSearch } from './search.ts';

const COMMANDS = [
  registerManuscriptToc,
  registerManuscriptStatus,
  registerManuscriptSearch,
  registerManuscriptBuild,
  registerManuscriptConvert,
  registerManuscriptProof,
  registerManuscriptUndo,
  registerManuscriptHistory,
  registerManuscriptCritique,
  registerManuscriptVoice,
  registerManuscriptFind,
];

/** Adds the commands of `nib manuscript` in the order in which help shows them. */
export function addCommands(group: Command, env: Env): void {
  group.addHelpText('after', '\nExamples:\n  nib ma toc\n  nib ma proof 3.2');
  for (const add of COMMANDS) add(group, env);
}

/** `nib ma toc` */
function registerManuscriptToc(group: Command, env: Env): void {
  group
    .command('toc')
    .alias('tc')
    .description('Show the table of contents with the references other commands take.')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  nib ma toc\n  nib ma toc --json --pretty')
    .action(async ({ json }: { json?: boolean }, command: Command) => {
      const { book } = await openProject(env.cwd);
      const shown = createHeadings(book);
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

/** `nib ma status` */
function registerManuscriptStatus(group: Command, env: Env): void {
  group
    .command('status')
    .alias('st')
    .description('Show words per scene and chapter, and which scenes are indexed, stale or missing.')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  nib ma status\n  nib ma status --json --pretty')
    .action(async ({ json }: { json?: boolean }, command: Command) => {
      const project = await openProject(env.cwd);
      const status = measureStatus(project, readStory(project.root));
      env.err(formatEncodingWarning(project, listScenes(project.book), 'so their words are miscounted'));
      if (json === true) printJson(env, command, status);
      else printStatus(env, status);
    });
}

function printStatus(env: Env, { words, chapters }: Status): void {
  const rows = chapters.flatMap((chapter) => [
    [String(chapter.chapter), String(chapter.words), '', chapter.heading],
    ...chapter.scenes.map(({ ref, words: count, state, slug }) => [`  ${ref}`, String(count), state, slug]),
  ]);
  printColumns(env, rows, [1]);
  const scenes = chapters.flatMap((chapter) => chapter.scenes);
  const indexed = scenes.filter(({ state }) => state === 'indexed').length;
  env.out(
    `${formatCount(words, 'word')} in ${formatCount(scenes.length, 'scene')} and ${formatCount(chapters.length, 'chapter')}; ${indexed} indexed.\n`,
  );
}

/** `nib ma convert` */
function registerManuscriptConvert(group: Command, env: Env): void {
  group
    .command('convert <what...>')
    .alias('co')
    .description('Change scenes, or other files of the project, to UTF-8, and see what that changes.')
    .option('--from <encoding>', 'windows-1252, mac-roman, utf-16, utf-16le or utf-16be (default: guessed)')
    .option('-y, --yes', 'do not ask')
    .addHelpText(
      'after',
      '\nExamples:\n  nib ma convert 1.1\n  nib ma convert 1-3 --from mac-roman\n  nib ma convert characters/ada.yaml',
    )
    .action(async (what: readonly string[], options: ConvertOptions) => {
      const { convertFiles } = await import('../../manuscript/convert-encoding.ts');
      await convertFiles(env, what, options);
    });
}

/** `nib ma proof` */
function registerManuscriptProof(group: Command, env: Env): void {
  const command = group
    .command('proof <range>')
    .alias('pr')
    .description('Have scenes or chapters proofread in place, and see what was changed.')
    .option('-n, --dry-run', 'work on a copy and only show what would change')
    .option('-y, --yes', 'keep whatever the backend does, also large cuts and other files');
  addAskOptions(command)
    .addHelpText('after', '\nExamples:\n  nib ma proof 3.2\n  nib ma proof 1-3 --dry-run')
    .action(async (range: string, options: ProofOptions) => {
      const { proofRange } = await import('../../proof/proof.ts');
      await proofRange(env, range, options);
    });
}

/** `nib ma undo` */
function registerManuscriptUndo(group: Command, env: Env): void {
  group
    .command('undo [id]')
    .alias('un')
    .description(
      'Take back the last proof, or a run or part of it by its id; what you wrote since then stays.',
    )
    .addHelpText('after', '\nExamples:\n  nib ma undo\n  nib ma undo 7\n  nib ma undo 7/2')
    .action(async (id: string | undefined) => {
      const { undoRun } = await import('../../history/undo.ts');
      await undoRun(env, id);
    });
}

/** `nib ma history` */
function registerManuscriptHistory(group: Command, env: Env): void {
  group
    .command('history [id]')
    .alias('hi')
    .description(
      'List what proofs have changed, or show what one of them changed; nib ma undo takes it back.',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  nib ma history\n  nib ma history 7/2')
    .action(async (id: string | undefined, { json }: { json?: boolean }, command: Command) => {
      const { showHistory } = await import('../../history/history-report.ts');
      await showHistory(env, command, id, json === true);
    });
}

/** `nib ma critique` */
function registerManuscriptCritique(group: Command, env: Env): void {
  const command = group
    .command('critique [range]')
    .alias('cr')
    .description('Talk scenes, chapters or the whole book over with the backend.');
  addEffortOption(command)
    .addHelpText(
      'after',
      '\nExamples:\n  nib ma critique 3.2\n  nib ma critique 4\n  nib ma critique           the whole book',
    )
    .action(async (range: string | undefined, options: AskOptions) => {
      const { runCritique } = await import('../../critique/critique.ts');
      await runCritique(env, range, options);
    });
}

/** `nib ma voice` */
function registerManuscriptVoice(group: Command, env: Env): void {
  const command = group
    .command('voice <character...>')
    .alias('vo')
    .description('Check over sampled scenes whether characters keep their voice.')
    .option('--thorough', 'sample twice as many scenes');
  addAskOptions(command)
    .addHelpText('after', '\nExamples:\n  nib ma voice ada-byron\n  nib ma voice ada-byron bo --thorough')
    .action(async (slugs: readonly string[], options: AskOptions & { readonly thorough?: boolean }) => {
      const { checkVoices } = await import('../../questions/check-voices.ts');
      await checkVoices(env, slugs, options);
    });
}

/** `nib ma find` */
function registerManuscriptFind(group: Command, env: Env): void {
  const command = group
    .command('find <words...>')
    .alias('fi')
    .description('Have the backend look for something in the prose that no exact text would find.')
    .option('-r, --range <range>', 'only in these chapters or scenes');
  addAskOptions(command)
    .addHelpText('after', '\nExamples:\n  nib ma find scenes where somebody lies to Nell')
    .action(async (words: readonly string[], options: AskOptions & { readonly range?: string }) => {
      const { findInManuscript } = await import('../../questions/find-in-manuscript.ts');
      await findInManuscript(env, words.join(' '), options);
    });
}
