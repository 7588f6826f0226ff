import { type AskOptions, effortOf, timeoutOf } from '../backend/request.ts';
import { withBackend } from '../backend/with-backend.ts';
import type { Env } from '../env.ts';
import { counted } from '../output.ts';
import { headings } from '../project/heading.ts';
import { openProject, type Project } from '../project/project.ts';
import { type Selection, selectScenes } from '../project/range.ts';
import { requireText } from '../project/scene-file.ts';
import { makeBackup } from './backup.ts';
import { dryRun } from './dry-run.ts';
import { type ProofPart, proofPart } from './part.ts';
import { namesFor, takeSnapshot } from './snapshot.ts';

/** What the person said on the command line. */
export interface ProofOptions extends AskOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** Has a range proofread: whole chapters one by one, single scenes together. */
export async function proof(env: Env, range: string, options: ProofOptions): Promise<void> {
  const project = await openProject(env.cwd);
  const selection = selectScenes(project.book, range);
  requireText(project, selection.scenes);
  const parts = partsOf(project, selection, effortOf(env, options));
  const timeout = timeoutOf(options);
  if (options.dryRun === true) return dryRun(env, project.root, parts, timeout);
  await proofAll(env, project.root, parts, { timeout, yes: options.yes ?? false });
}

async function proofAll(
  env: Env,
  root: string,
  parts: readonly ProofPart[],
  { timeout, yes }: { readonly timeout: number | undefined; readonly yes: boolean },
): Promise<void> {
  await withBackend(env, root, { timeout }, async (session) => {
    const given = namesFor(
      root,
      parts.flatMap(({ paths }) => paths),
    );
    let state = takeSnapshot(root, given);
    const backup = await makeBackup(root, state, given, env.now());
    for (const part of parts) {
      if (parts.length > 1) env.err(`${part.doing}.\n`);
      state = await proofPart({ env, root, session, yes, backup }, part, state);
    }
    backup.drop();
  });
}

function partsOf({ book }: Project, { whole, scenes, groups }: Selection, effort: string): ProofPart[] {
  const shown = headings(book);
  if (!whole)
    return [partOf('scene-proof', scenes, effort, `Proofreading ${counted(scenes.length, 'scene')}`)];
  return groups.map(({ chapter, scenes: own }) => {
    const heading = shown[chapter.number - 1] ?? '';
    return partOf('chapter-proof', own, effort, `Proofreading chapter ${chapter.number}, ${heading}`);
  });
}

function partOf(
  operation: string,
  scenes: readonly { readonly path: string }[],
  effort: string,
  doing: string,
): ProofPart {
  const paths = [...new Set(scenes.map(({ path }) => path))];
  return { request: { operation, fields: { paths, effort } }, paths, doing };
}
