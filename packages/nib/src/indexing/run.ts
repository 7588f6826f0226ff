import type { AskOptions } from '../backend/request.ts';
import { effortOf, timeoutOf } from '../backend/request.ts';
import type { Session } from '../backend/with-backend.ts';
import { guardAfterFailure } from '../copy/project-guard.ts';
import { changedCopy, requireUnchanged } from '../copy/reading.ts';
import { type Work, withCopy } from '../copy/with-copy.ts';
import type { Env } from '../env.ts';
import { NibError } from '../failure.ts';
import { counted } from '../output.ts';
import { characterSlugs } from '../project/character.ts';
import { openProject, type Project } from '../project/project.ts';
import { readStory } from '../storydb/story.ts';
import { createUlids } from '../storydb/ulid.ts';
import { shownOn } from '../terminal/paint.ts';
import { type Progress, startProgress } from '../terminal/progress.ts';
import { inOrder } from './ahead.ts';
import { indexContext } from './context.ts';
import { extract } from './extract.ts';
import { type IndexTask, planIndex } from './plan.ts';
import type { Extraction } from './schema.ts';
import { type Outcome, settle } from './settle.ts';
import { createTally, type Tally, totals } from './tally.ts';

/** What the person said on the command line. */
export interface IndexOptions extends AskOptions {
  readonly force?: boolean;
  readonly yes?: boolean;
  /** How many scenes are read at a time. */
  readonly jobs: number;
  readonly verbose?: boolean;
}

/** Results that may wait for a person, for each one that is worked on at a time. */
const WAITING = 4;

/** How many characters of the line the bar takes. */
const BAR = 20;

/** A scene that was read, or why it could not be. */
interface Read {
  readonly task: IndexTask;
  readonly result: Extraction | Error;
}

/** Indexes scenes: has them read side by side, reviews them in the order of the story, and stores each as it is accepted. */
export async function index(env: Env, range: string | undefined, options: IndexOptions): Promise<void> {
  const effort = effortOf(env, options);
  const timeout = timeoutOf(options);
  const project = await openProject(env.cwd);
  const plan = planIndex(project, readStory(project.root), range, options.force ?? false);
  const tally = createTally(plan.unchanged);
  for (const { scene, problem } of plan.unreadable) {
    env.err(`${scene.ref} ${scene.slug}: ${problem}\n`);
    tally.failed += 1;
  }
  const run = {
    env,
    project,
    effort,
    jobs: options.jobs,
    review: options.yes !== true,
    verbose: options.verbose ?? false,
    tally,
  };
  if (plan.tasks.length > 0) await work(run, plan.tasks, timeout);
  env.out(`${totals(tally)}\n`);
  if (tally.failed > 0) {
    throw new NibError(`${counted(tally.failed, 'scene')} could not be indexed; the reasons stand above.`);
  }
}

async function work(run: Run, tasks: readonly IndexTask[], timeout: number | undefined): Promise<void> {
  const { env, project, review, tally } = run;
  if (review && !env.keyboard.isTerminal) {
    throw new NibError(
      `${counted(tasks.length, 'scene')} would have to be reviewed, and nobody can be asked here: say --yes to store what the backend finds.`,
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
    if (tally.indexed > 0) env.out(`${totals(tally)}\n`);
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
  readonly tally: Tally;
}

async function indexAll(run: Run, copied: Work, tasks: readonly IndexTask[]): Promise<void> {
  const { session } = copied;
  const { env, project, jobs, review, tally } = run;
  const progress = startProgress(env, labelOf(env, 0, tasks.length));
  const newId = createUlids(env.now);
  const settling = { env, project, review, progress, tally, newId, signal: session.signal };
  let done = 0;
  try {
    const readOne = (task: IndexTask): Promise<Read> => read(run, copied, progress, task);
    for await (const { task, result } of inOrder(tasks, readOne, { jobs, ahead: jobs * WAITING })) {
      session.signal.throwIfAborted();
      const outcome = await settle(settling, task, result).catch((error: unknown) => {
        // Leaving the loop waits for what is under way, which nobody wants any more.
        session.stop('SIGTERM');
        throw error;
      });
      done += 1;
      progress.label(labelOf(env, done, tasks.length));
      if (outcome !== 'next') return leave(run, session, outcome, tasks.length - done);
    }
  } finally {
    progress.end();
  }
}

/** The person has had enough: what was accepted is stored, and nothing more is asked for. */
function leave({ env }: Run, session: Session, outcome: Outcome, left: number): void {
  session.stop('SIGINT');
  env.err(`Stopped, with ${counted(left + 1, 'scene')} to go.\n`);
  if (outcome === 'interrupted') session.signal.throwIfAborted();
}

async function read(run: Run, copied: Work, progress: Progress, task: IndexTask): Promise<Read> {
  const { session } = copied;
  const { project, effort, jobs, verbose } = run;
  const { scene } = task;
  try {
    session.signal.throwIfAborted();
    const surroundings = {
      book: project.book,
      story: readStory(project.root),
      characters: characterSlugs(project.root),
      scene,
    };
    const context = (problems: readonly string[]): string => {
      const text = indexContext({ ...surroundings, problems });
      if (verbose) progress.say(`--- ${scene.ref} ${scene.slug}: ${text.length} characters\n${text}`);
      return text;
    };
    const say = (text: string): void => progress.say(shownOn(run.env, 'err', text));
    const onStderr = jobs === 1 ? say : labelled(scene.ref, say);
    const found = await extract({ session, effort, context, onStderr });
    // The next scene must not be read from a copy that this one has changed.
    return { task, result: (await changedCopy(copied)) ?? found };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { task, result: error };
  }
}

/** Words of several backends at once are told apart by the scene they are at; they come in whole lines. */
function labelled(ref: string, say: (text: string) => void): (text: string) => void {
  let pending = '';
  return (text) => {
    // An empty text is the end: the last line may lack its own.
    const lines = (pending + text).split('\n');
    pending = text === '' ? '' : (lines.pop() ?? '');
    const shown = lines.filter((line) => text !== '' || line !== '');
    if (shown.length > 0) say(shown.map((line) => `[${ref}] ${line}\n`).join(''));
  };
}

function labelOf({ screen }: Env, done: number, all: number): string {
  const full = Math.floor((done / all) * BAR);
  const bar = screen.err ? `${'█'.repeat(full)}${'░'.repeat(BAR - full)} ` : '';
  return `Indexing ${bar}${done}/${all}`;
}
