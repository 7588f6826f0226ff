import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runConversation } from '../backend/conversation.ts';
import { type AskOptions, type BackendRequest, parseEffort } from '../backend/request.ts';
import type { Env } from '../env.ts';
import { writeAtomic } from '../files/atomic-write.ts';
import { resolveInProject } from '../files/project-path.ts';
import { assembleManuscript } from '../manuscript/assemble.ts';
import { NibError } from '../nib-error.ts';
import { listScenes } from '../project/book.ts';
import { openProject, type Project } from '../project/project.ts';
import { selectScenes } from '../project/range.ts';
import { requireText } from '../project/scene-file.ts';

/** The file with the whole manuscript, for `manuscript-critique`. */
const WHOLE = join('build', 'manuscript-full.md');

/** Runs a conversation about a range: one per chapter, one for several scenes, or one about the whole book. */
export async function runCritique(env: Env, range: string | undefined, options: AskOptions): Promise<void> {
  const project = await openProject(env.cwd);
  const effort = parseEffort(env, options);
  const requests =
    range === undefined ? [createBookRequest(project, effort)] : createRequests(project, range, effort);
  await runConversation(env, project.root, requests, ({ fields }, index) => {
    const paths = Array.isArray(fields.paths) ? fields.paths.join(', ') : '';
    if (requests.length > 1) env.err(`Part ${index + 1} of ${requests.length}: ${paths}\n`);
  });
}

function createRequests(project: Project, range: string, effort: string): readonly BackendRequest[] {
  const { whole, scenes, groups } = selectScenes(project.book, range);
  requireText(project, scenes);
  const request = (operation: string, own: typeof scenes): BackendRequest => {
    return { operation, fields: { paths: own.map(({ path }) => path), effort } };
  };
  if (!whole) return [request('scene-critique', scenes)];
  return groups.map((group) => request('chapter-critique', group.scenes));
}

/** Only this file of build/ is written: finished books may be beside it. */
function createBookRequest(project: Project, effort: string): BackendRequest {
  if (listScenes(project.book).length === 0)
    throw new NibError('The book has no scenes yet. Add one with nib sc add.');
  const file = resolveInProject(project.root, WHOLE);
  mkdirSync(dirname(file), { recursive: true });
  writeAtomic(file, assembleManuscript(project).text);
  return { operation: 'manuscript-critique', fields: { paths: [WHOLE], effort } };
}
