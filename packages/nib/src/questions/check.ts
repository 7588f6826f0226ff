import { type AskOptions, effortOf } from '../backend/request.ts';
import type { Env } from '../env.ts';
import { counted } from '../output.ts';
import { openProject } from '../project/project.ts';
import { selectScenes } from '../project/range.ts';
import { requireText } from '../project/scene-file.ts';
import { putQuestions } from './put.ts';

/** Looks for contradictions. All scenes go in one request: what contradicts may stand chapters apart. */
export async function checkContinuity(env: Env, range: string, options: AskOptions): Promise<void> {
  const project = await openProject(env.cwd);
  const { scenes } = selectScenes(project.book, range);
  requireText(project, scenes);
  const paths = [...new Set(scenes.map(({ path }) => path))];
  const request = { operation: 'continuity-check', fields: { paths, effort: effortOf(env, options) } };
  const doing = `Checking ${counted(paths.length, 'scene')}`;
  await putQuestions(env, project.root, [{ request, doing }], options);
}
