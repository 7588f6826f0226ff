import { computeChecksum } from '../files/checksum.ts';
import { describeEncodingProblem } from '../files/encoding.ts';
import { NibError } from '../nib-error.ts';
import type { Scene } from '../project/book.ts';
import { requireFocusedScene } from '../project/focus.ts';
import type { Project } from '../project/project.ts';
import { selectScenes } from '../project/range.ts';
import { decodeProse, readScene } from '../project/scene-file.ts';
import { getIndexState } from '../storydb/index-state.ts';
import type { Story } from '../storydb/story.ts';

/** A scene to index, with the checksum by which a later change is detected. */
export interface IndexTask {
  readonly scene: Scene;
  readonly checksum: string;
}

/** The work of one index run. */
export interface IndexPlan {
  readonly tasks: readonly IndexTask[];
  /** How many scenes have an index entry with their present checksum. */
  readonly unchanged: number;
  /** Scenes that cannot be read or are empty, with the reason. */
  readonly unreadable: readonly { readonly scene: Scene; readonly problem: string }[];
}

/** Selects the scenes of a range, or the scene in focus, that are not indexed; each once, in the order of the story. */
export function planIndex(
  project: Project,
  story: Story,
  range: string | undefined,
  force: boolean,
): IndexPlan {
  const chosen =
    range === undefined ? [requireFocusedScene(project)] : selectScenes(project.book, range).scenes;
  const scenes = sortByStory(chosen).filter(
    ({ slug }, at, all) => all.findIndex((one) => one.slug === slug) === at,
  );
  const plan = {
    tasks: [] as IndexTask[],
    unchanged: 0,
    unreadable: [] as IndexPlan['unreadable'][number][],
  };
  for (const scene of scenes) {
    const bytes = readIndexable(project, scene);
    if (typeof bytes === 'string') plan.unreadable.push({ scene, problem: bytes });
    else if (!force && getIndexState(story, scene.slug, bytes) === 'indexed') plan.unchanged += 1;
    else plan.tasks.push({ scene, checksum: computeChecksum(bytes) });
  }
  return plan;
}

function sortByStory(scenes: readonly Scene[]): readonly Scene[] {
  return scenes.toSorted((a, b) => a.chapter - b.chapter || a.position - b.position);
}

/** The bytes of a scene, or the reason why it cannot be indexed. */
function readIndexable(project: Project, scene: Scene): Buffer | string {
  try {
    const bytes = readScene(project, scene);
    if (bytes === undefined) return `there is no file ${scene.path}. Write it with nib sc edit ${scene.ref}.`;
    const problem = describeEncodingProblem(bytes);
    if (problem !== undefined)
      return `${scene.path} ${problem}. nib ma convert ${scene.ref} changes it to UTF-8.`;
    return decodeProse(bytes).trim() === '' ? `${scene.path} is empty. There is nothing to index.` : bytes;
  } catch (error) {
    if (error instanceof NibError) return error.message;
    throw error;
  }
}
