import { type AskOptions, parseEffort } from '../backend/request.ts';
import type { Env } from '../env.ts';
import { NibError } from '../nib-error.ts';
import { formatCount } from '../output.ts';
import { listScenes, type Scene } from '../project/book.ts';
import { openProject, type Project } from '../project/project.ts';
import { selectScenes } from '../project/range.ts';
import {
  findUnreadableScenes,
  formatEncodingWarning,
  readScene,
  requireText,
} from '../project/scene-file.ts';
import { askQuestions } from './ask-questions.ts';

/** Searches the manuscript by meaning, with a backend. */
export async function findInManuscript(
  env: Env,
  question: string,
  options: AskOptions & { readonly range?: string },
): Promise<void> {
  if (question.trim() === '') throw new NibError('There is nothing to look for: the text is empty.');
  const project = await openProject(env.cwd);
  const scenes = selectSearchScenes(env, project, options.range);
  const paths = [...new Set(scenes.map(({ path }) => path))];
  const fields = { paths, question, effort: parseEffort(env, options) };
  const doing = `Looking through ${formatCount(paths.length, 'scene')}`;
  const request = { operation: 'manuscript-search', fields };
  await askQuestions(env, project.root, [{ request, doing }], options);
}

/** Scenes of a given `range` must exist; without one, the written scenes of the book are searched. */
function selectSearchScenes(env: Env, project: Project, range: string | undefined): readonly Scene[] {
  if (range === undefined) {
    const written = listScenes(project.book).filter((scene) => readScene(project, scene) !== undefined);
    env.err(formatEncodingWarning(project, written, 'so left out'));
    const unreadable = new Set(findUnreadableScenes(project, written).map(({ scene }) => scene.path));
    const readable = written.filter(({ path }) => !unreadable.has(path));
    if (readable.length > 0) return readable;
    throw new NibError('No scene of the book is written yet.');
  }
  const { scenes } = selectScenes(project.book, range);
  requireText(project, scenes);
  return scenes;
}
