import type { Env } from '../env.ts';
import { messageOf } from '../failure.ts';
import type { Project } from '../project/project.ts';
import { reviewExtraction } from '../review/review.ts';
import { recordScene } from '../storydb/record.ts';
import type { SceneEntry } from '../storydb/replace.ts';
import { stamp } from '../storydb/stamp.ts';
import { shownOn } from '../terminal/paint.ts';
import type { Progress } from '../terminal/progress.ts';
import { entryOf, normalise } from './entry.ts';
import type { IndexTask } from './plan.ts';
import type { Extraction } from './schema.ts';
import { contentsOf, countEntry, type Tally } from './tally.ts';

/** Whether the run goes on after a scene. */
export type Outcome = 'next' | 'quit' | 'interrupted';

/** What a scene needs to be reviewed and stored. */
export interface Settling {
  readonly env: Env;
  readonly project: Project;
  /** Whether somebody looks at it first. */
  readonly review: boolean;
  readonly progress: Progress;
  readonly tally: Tally;
  readonly newId: () => string;
  readonly signal: AbortSignal;
}

/** Reviews and stores what was found in one scene; a scene that fails is told and counted, and does not stop the others. */
export async function settle(
  settling: Settling,
  task: IndexTask,
  result: Extraction | Error,
): Promise<Outcome> {
  if (result instanceof Error) return fail(settling, task, result);
  const found = normalise(result, task.scene);
  if (!settling.review) return store(settling, task, found);
  const { env, project, progress, signal } = settling;
  progress.pause();
  try {
    const verdict = await reviewExtraction({ env, root: project.root, signal }, task.scene, found);
    if (verdict.kind === 'accepted') return await store(settling, task, normalise(verdict.found, task.scene));
    if (verdict.kind !== 'skipped') return verdict.kind;
    settling.tally.skipped += 1;
    return 'next';
  } finally {
    progress.resume();
  }
}

async function store(settling: Settling, task: IndexTask, found: Extraction): Promise<Outcome> {
  const { env, project, tally, newId } = settling;
  const entry: SceneEntry = entryOf(found, task.scene.slug, task.checksum);
  try {
    await recordScene(project.root, entry, { newId, indexedAt: stamp(env.now()) });
  } catch (error) {
    return fail(settling, task, error instanceof Error ? error : new Error(String(error)));
  }
  countEntry(tally, entry);
  // On a terminal the bar tells it.
  if (!env.screen.err) tell(settling, task, contentsOf(entry));
  return 'next';
}

function fail(settling: Settling, task: IndexTask, error: Error): Outcome {
  settling.tally.failed += 1;
  tell(settling, task, `failed: ${messageOf(error)}`);
  return 'next';
}

function tell({ env, progress }: Settling, { scene }: IndexTask, what: string): void {
  progress.say(shownOn(env, 'err', `${scene.ref} ${scene.slug}: ${what}\n`));
}
