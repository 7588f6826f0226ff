import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { converse } from '../backend/converse.ts';
import { type AskOptions, type BackendRequest, effortOf } from '../backend/request.ts';
import type { Env } from '../env.ts';
import { NibError } from '../failure.ts';
import { writeAtomic } from '../files/atomic.ts';
import { insideProject } from '../files/inside.ts';
import { assemble } from '../manuscript/assemble.ts';
import { allScenes } from '../project/book.ts';
import { openProject, type Project } from '../project/project.ts';
import { selectScenes } from '../project/range.ts';
import { requireText } from '../project/scene-file.ts';

/** Where the whole manuscript is put for a backend to read. */
const WHOLE = join('build', 'manuscript-full.md');

/** Talks a range over with the backend: chapters one by one, scenes together, and without a range the whole book. */
export async function critique(env: Env, range: string | undefined, options: AskOptions): Promise<void> {
  const project = await openProject(env.cwd);
  const effort = effortOf(env, options);
  const requests = range === undefined ? [wholeBook(project, effort)] : requestsFor(project, range, effort);
  await converse(env, project.root, requests, ({ fields }, index) => {
    const paths = Array.isArray(fields.paths) ? fields.paths.join(', ') : '';
    if (requests.length > 1) env.err(`Part ${index + 1} of ${requests.length}: ${paths}\n`);
  });
}

function requestsFor(project: Project, range: string, effort: string): readonly BackendRequest[] {
  const { whole, scenes, groups } = selectScenes(project.book, range);
  requireText(project, scenes);
  const request = (operation: string, own: typeof scenes): BackendRequest => {
    return { operation, fields: { paths: own.map(({ path }) => path), effort } };
  };
  if (!whole) return [request('scene-critique', scenes)];
  return groups.map((group) => request('chapter-critique', group.scenes));
}

/** The rest of build/ is left alone: finished books may be in it. */
function wholeBook(project: Project, effort: string): BackendRequest {
  if (allScenes(project.book).length === 0)
    throw new NibError('The book has no scenes yet. Add one with nib sc add.');
  const file = insideProject(project.root, WHOLE);
  mkdirSync(dirname(file), { recursive: true });
  writeAtomic(file, assemble(project).text);
  return { operation: 'manuscript-critique', fields: { paths: [WHOLE], effort } };
}
