import { type AskOptions, effortOf } from '../backend/request.ts';
import type { Env } from '../env.ts';
import { NibError } from '../failure.ts';
import { counted } from '../output.ts';
import { allScenes, type Scene } from '../project/book.ts';
import { openProject, type Project } from '../project/project.ts';
import { selectScenes } from '../project/range.ts';
import { encodingWarning, readScene, requireText, unreadableScenes } from '../project/scene-file.ts';
import { putQuestions } from './put.ts';

/** Looks for something described in words. */
export async function find(
  env: Env,
  question: string,
  options: AskOptions & { readonly range?: string },
): Promise<void> {
  if (question.trim() === '') throw new NibError('There is nothing to look for: the text is empty.');
  const project = await openProject(env.cwd);
  const scenes = scenesFor(env, project, options.range);
  const paths = [...new Set(scenes.map(({ path }) => path))];
  const fields = { paths, question, effort: effortOf(env, options) };
  const doing = `Looking through ${counted(paths.length, 'scene')}`;
  const request = { operation: 'manuscript-search', fields };
  await putQuestions(env, project.root, [{ request, doing }], options);
}

/** Scenes that were named have to be there; of the whole book, those that are written are looked through. */
function scenesFor(env: Env, project: Project, range: string | undefined): readonly Scene[] {
  if (range === undefined) {
    const written = allScenes(project.book).filter((scene) => readScene(project, scene) !== undefined);
    env.err(encodingWarning(project, written, 'so left out'));
    const unreadable = new Set(unreadableScenes(project, written).map(({ scene }) => scene.path));
    const readable = written.filter(({ path }) => !unreadable.has(path));
    if (readable.length > 0) return readable;
    throw new NibError('No scene of the book is written yet.');
  }
  const { scenes } = selectScenes(project.book, range);
  requireText(project, scenes);
  return scenes;
}
