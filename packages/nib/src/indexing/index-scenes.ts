import type { AskOptions } from '../backend/request.ts';
import { parseEffort, parseTimeout } from '../backend/request.ts';
import type { BackendSession } from '../backend/with-backend.ts';
import { guardAfterFailure } from '../copy/project-guard.ts';
import { requireUnchanged, revertCopyChanges } from '../copy/read-only-request.ts';
import { type CopySession, withCopy } from '../copy/with-copy.ts';
import type { Env } from '../env.ts';
import { NibError } from '../nib-error.ts';
import { formatCount } from '../output.ts';
import { listCharacters } from '../project/character.ts';
import { openProject, type Project } from '../project/project.ts';
import { readStory } from '../storydb/story.ts';
import { createUlids } from '../storydb/ulid.ts';
import { escapeForTerminal } from '../terminal/colours.ts';
import { type Progress, startProgress } from '../terminal/progress.ts';
import { extractScene } from './extract.ts';
import type { Extraction } from './extraction-schema.ts';
import { handleResult, type Outcome } from './handle-result.ts';
import { buildIndexContext } from './index-context.ts';
import { createIndexCounts, formatTotals, type IndexCounts } from './index-counts.ts';
import { type IndexTask, planIndex } from './index-plan.ts';
import { mapInOrder } from './map-in-order.ts';

/** The options of `nib ct index`. */
export interface IndexOptions extends AskOptions {
  readonly force?: boolean;
  readonly yes?: boolean;
  /** How many scenes are extracted at a time. */
  readonly jobs: number;
  readonly verbose?: boolean;
}

/** Results per job that may wait for review. */
const WAITING = 4;

/** Width of the progress bar in characters. */
const BAR = 20;

/** The extraction of a scene, or the error. */
interface TaskResult {
  readonly task: IndexTask;
  readonly result: Extraction | Error;
}

/**
 * Indexes scenes: extracts several at a time, reviews them in the order of the story, and stores each accepted result
 * at once.
 */
export async function indexScenes(env: Env, range: string | undefined, options: IndexOptions): Promise<void> {
  const effort = parseEffort(env, options);
  const timeout = parseTimeout(options);
  const project = await openProject(env.cwd);
  const plan = planIndex(project, readStory(project.root), range, options.force ?? false);
  const counts = createIndexCounts(plan.unchanged);
  for (const { scene, problem } of plan.unreadable) {
    env.err(`${scene.ref} ${scene.slug}: ${problem}\n`);
    counts.failed += 1;
  }
  const run = {
    env,
    project,
    effort,
    jobs: options.jobs,
    review: options.yes !== true,
    verbose: options.verbose ?? false,
    counts,
  };
  if (plan.tasks.length > 0) await indexTasks(run, plan.tasks, timeout);
  env.out(`${formatTotals(counts)}\n`);
  if (counts.failed > 0) {
    throw new NibError(
      `${formatCount(counts.failed, 'scene')} could not be indexed; the reasons stand above.`,
    );
  }
}

async function indexTasks(run: Run, tasks: readonly IndexTask[], timeout: number | undefined): Promise<void> {
  const { env, project, review, counts } = run;
  if (review && !env.keyboard.isTerminal) {
    throw new NibError(
      `${formatCount(tasks.length, 'scene')} would have to be reviewed, and nobody can be asked here: say --yes to store what the backend finds.`,
    );
  }
  try {
    const scenes = tasks.map(({ scene }) => scene.path);
    await withCopy(env, project.root, { timeout, scenes }, async (copied) => {
      await indexAll(run, copied, tasks).catch(async (error: unknown) => {
        await guardAfterFailure(copied);
        throw error;
      });
      await requireUnchanged(copied);
    });
  } catch (error) {
    if (counts.indexed > 0) env.out(`${formatTotals(counts)}\n`);
    throw error;
  }
}

interface Run {
  readonly env: Env;
  readonly project: Project;
  readonly effort: string;
  readonly jobs: number;
  readonly review: boolean;
  readonly verbose: boolean;
  readonly counts: IndexCounts;
}

async function indexAll(run: Run, copied: CopySession, tasks: readonly IndexTask[]): Promise<void> {
  const { session } = copied;
  const { env, project, jobs, review, counts } = run;
  const progress = startProgress(env, formatProgress(env, 0, tasks.length));
  const newId = createUlids(env.now);
  const context = { env, project, review, progress, counts, newId, signal: session.signal };
  let done = 0;
  try {
    const readOne = (task: IndexTask): Promise<TaskResult> => extractTask(run, copied, progress, task);
    for await (const { task, result } of mapInOrder(tasks, readOne, { jobs, ahead: jobs * WAITING })) {
      session.signal.throwIfAborted();
      const outcome = await handleResult(context, task, result).catch((error: unknown) => {
        // Leaving the loop waits for the running requests, whose results are discarded.
        session.stop('SIGTERM');
        throw error;
      });
      done += 1;
      progress.label(formatProgress(env, done, tasks.length));
      if (outcome !== 'next') return stopEarly(run, session, outcome, tasks.length - done);
    }
  } finally {
    progress.end();
  }
}

/** The person chose to quit: accepted scenes are stored, and the running requests are cancelled. */
function stopEarly({ env }: Run, session: BackendSession, outcome: Outcome, left: number): void {
  session.stop('SIGINT');
  env.err(`Stopped, with ${formatCount(left + 1, 'scene')} to go.\n`);
  if (outcome === 'interrupted') session.signal.throwIfAborted();
}

async function extractTask(
  run: Run,
  copied: CopySession,
  progress: Progress,
  task: IndexTask,
): Promise<TaskResult> {
  const { session } = copied;
  const { project, effort, jobs, verbose } = run;
  const { scene } = task;
  try {
    session.signal.throwIfAborted();
    const surroundings = {
      book: project.book,
      story: readStory(project.root),
      characters: listCharacters(project.root),
      scene,
    };
    const context = (problems: readonly string[]): string => {
      const text = buildIndexContext({ ...surroundings, problems });
      if (verbose) progress.say(`--- ${scene.ref} ${scene.slug}: ${text.length} characters\n${text}`);
      return text;
    };
    const say = (text: string): void => progress.say(escapeForTerminal(run.env, 'err', text));
    const onStderr = jobs === 1 ? say : prefixLines(scene.ref, say);
    const found = await extractScene({ session, effort, context, onStderr });
    // The next scene must not be read from a copy that this request has changed.
    return { task, result: (await revertCopyChanges(copied)) ?? found };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { task, result: error };
  }
}

/** Prefixes each line with the scene's `ref`, because several backends write at a time; writes whole lines only. */
function prefixLines(ref: string, say: (text: string) => void): (text: string) => void {
  let pending = '';
  return (text) => {
    // The empty text ends the output, whose last line may lack a line end.
    const lines = (pending + text).split('\n');
    pending = text === '' ? '' : (lines.pop() ?? '');
    const shown = lines.filter((line) => text !== '' || line !== '');
    if (shown.length > 0) say(shown.map((line) => `[${ref}] ${line}\n`).join(''));
  };
}

function formatProgress({ screen }: Env, done: number, all: number): string {
  const full = Math.floor((done / all) * BAR);
  const bar = screen.err ? `${'█'.repeat(full)}${'░'.repeat(BAR - full)} ` : '';
  return `Indexing ${bar}${done}/${all}`;
}
