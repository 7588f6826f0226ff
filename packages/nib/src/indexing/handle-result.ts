import type { Env } from '../env.ts';
import { formatError } from '../nib-error.ts';
import type { Project } from '../project/project.ts';
import { reviewExtraction } from '../review/review-extraction.ts';
import { recordScene } from '../storydb/record-scene.ts';
import type { SceneEntry } from '../storydb/replace-scene.ts';
import { formatTimestamp } from '../storydb/timestamp.ts';
import { escapeForTerminal } from '../terminal/colours.ts';
import type { Progress } from '../terminal/progress.ts';
import type { Extraction } from './extraction-schema.ts';
import { countEntry, formatContents, type IndexCounts } from './index-counts.ts';
import type { IndexTask } from './index-plan.ts';
import { createSceneEntry, normaliseExtraction } from './scene-entry.ts';

/** Whether the run goes on after a scene. */
export type Outcome = 'next' | 'quit' | 'interrupted';

/** The input of `handleResult` that all scenes share. */
export interface ResultContext {
  readonly env: Env;
  readonly project: Project;
  /** Whether the person reviews a result before it is stored. */
  readonly review: boolean;
  readonly progress: Progress;
  readonly counts: IndexCounts;
  readonly newId: () => string;
  readonly signal: AbortSignal;
}

/**
 * Reviews and stores the extraction of one scene. A failed scene is reported and counted; the other scenes continue.
 */
export async function handleResult(
  context: ResultContext,
  task: IndexTask,
  result: Extraction | Error,
): Promise<Outcome> {
  if (result instanceof Error) return recordFailure(context, task, result);
  const found = normaliseExtraction(result, task.scene);
  if (!context.review) return storeExtraction(context, task, found);
  const { env, project, progress, signal } = context;
  progress.pause();
  try {
    const verdict = await reviewExtraction({ env, root: project.root, signal }, task.scene, found);
    if (verdict.kind === 'accepted')
      return await storeExtraction(context, task, normaliseExtraction(verdict.found, task.scene));
    if (verdict.kind !== 'skipped') return verdict.kind;
    context.counts.skipped += 1;
    return 'next';
  } finally {
    progress.resume();
  }
}

async function storeExtraction(context: ResultContext, task: IndexTask, found: Extraction): Promise<Outcome> {
  const { env, project, counts, newId } = context;
  const entry: SceneEntry = createSceneEntry(found, task.scene.slug, task.checksum);
  try {
    await recordScene(project.root, entry, { newId, indexedAt: formatTimestamp(env.now()) });
  } catch (error) {
    return recordFailure(context, task, error instanceof Error ? error : new Error(String(error)));
  }
  countEntry(counts, entry);
  // On a terminal the progress bar shows it.
  if (!env.screen.err) reportScene(context, task, formatContents(entry));
  return 'next';
}

function recordFailure(context: ResultContext, task: IndexTask, error: Error): Outcome {
  context.counts.failed += 1;
  reportScene(context, task, `failed: ${formatError(error)}`);
  return 'next';
}

function reportScene({ env, progress }: ResultContext, { scene }: IndexTask, what: string): void {
  progress.say(escapeForTerminal(env, 'err', `${scene.ref} ${scene.slug}: ${what}\n`));
}
