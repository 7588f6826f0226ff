import { NibError } from '../failure.ts';
import { checksum } from '../files/checksum.ts';
import { encodingProblem } from '../files/encoding.ts';
import type { Scene } from '../project/book.ts';
import { focusedScene } from '../project/focus.ts';
import type { Project } from '../project/project.ts';
import { selectScenes } from '../project/range.ts';
import { proseOf, readScene } from '../project/scene-file.ts';
import { indexState } from '../storydb/state.ts';
import type { Story } from '../storydb/story.ts';

/** A scene that is to be indexed, with the sum by which a later change is noticed. */
export interface IndexTask {
  readonly scene: Scene;
  readonly checksum: string;
}

/** What an index run has to do. */
export interface IndexPlan {
  readonly tasks: readonly IndexTask[];
  /** How many scenes are indexed as they are. */
  readonly unchanged: number;
  /** Scenes without a text, and why. */
  readonly unreadable: readonly { readonly scene: Scene; readonly problem: string }[];
}

/** Finds out which scenes of a range, or which scene in focus, have to be read by a backend; each once, in the order of the story. */
export function planIndex(
  project: Project,
  story: Story,
  range: string | undefined,
  force: boolean,
): IndexPlan {
  const chosen = range === undefined ? [focusedScene(project)] : selectScenes(project.book, range).scenes;
  const scenes = inStory(chosen).filter(
    ({ slug }, at, all) => all.findIndex((one) => one.slug === slug) === at,
  );
  const plan = {
    tasks: [] as IndexTask[],
    unchanged: 0,
    unreadable: [] as IndexPlan['unreadable'][number][],
  };
  for (const scene of scenes) {
    const bytes = read(project, scene);
    if (typeof bytes === 'string') plan.unreadable.push({ scene, problem: bytes });
    else if (!force && indexState(story, scene.slug, bytes) === 'indexed') plan.unchanged += 1;
    else plan.tasks.push({ scene, checksum: checksum(bytes) });
  }
  return plan;
}

function inStory(scenes: readonly Scene[]): readonly Scene[] {
  return scenes.toSorted((a, b) => a.chapter - b.chapter || a.position - b.position);
}

/** The bytes of a scene, or what keeps it from being read. */
function read(project: Project, scene: Scene): Buffer | string {
  try {
    const bytes = readScene(project, scene);
    if (bytes === undefined) return `there is no file ${scene.path}. Write it with nib sc edit ${scene.ref}.`;
    const problem = encodingProblem(bytes);
    if (problem !== undefined)
      return `${scene.path} ${problem}. nib ma convert ${scene.ref} changes it to UTF-8.`;
    return proseOf(bytes).trim() === '' ? `${scene.path} is empty. There is nothing to index.` : bytes;
  } catch (error) {
    if (error instanceof NibError) return error.message;
    throw error;
  }
}
