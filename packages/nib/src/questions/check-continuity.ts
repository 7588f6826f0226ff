import { type AskOptions, parseEffort } from '../backend/request.ts';
import type { Env } from '../env.ts';
import { formatCount } from '../output.ts';
import { openProject } from '../project/project.ts';
import { selectScenes } from '../project/range.ts';
import { requireText } from '../project/scene-file.ts';
import { askQuestions } from './ask-questions.ts';

/**
 * Checks for contradictions. All scenes go into one request: two scenes that contradict each other may be chapters
 * apart.
 */
export async function checkContinuity(env: Env, range: string, options: AskOptions): Promise<void> {
  const project = await openProject(env.cwd);
  const { scenes } = selectScenes(project.book, range);
  requireText(project, scenes);
  const paths = [...new Set(scenes.map(({ path }) => path))];
  const request = { operation: 'continuity-check', fields: { paths, effort: parseEffort(env, options) } };
  const doing = `Checking ${formatCount(paths.length, 'scene')}`;
  await askQuestions(env, project.root, [{ request, doing }], options);
}
