import { ask } from '../backend/ask.ts';
import { type AskOptions, effortOf, timeoutOf } from '../backend/request.ts';
import { guardProject, projectDamage } from '../copy/project-guard.ts';
import { type Work, withCopy } from '../copy/with-copy.ts';
import type { Env } from '../env.ts';
import { NibError } from '../failure.ts';
import { namesFor } from '../files/snapshot.ts';
import { finishInterrupted } from '../files/transaction.ts';
import { counted } from '../output.ts';
import { headings } from '../project/heading.ts';
import { withLock } from '../project/lock.ts';
import { openProject, type Project } from '../project/project.ts';
import { type Selection, selectScenes } from '../project/range.ts';
import { requireText } from '../project/scene-file.ts';
import { shownOn } from '../terminal/paint.ts';
import { sortChanges } from './changes.ts';
import { type PartEnd, type Proofing, type ProofPart, proofPart } from './part.ts';
import { namesOf, printChanges } from './report.ts';

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
  // A project that cannot be written is told before the backend works for nothing.
  if (options.dryRun !== true) await withLock(project.root, () => finishInterrupted(project.root));
  const opening = { timeout: timeoutOf(options), scenes: parts.flatMap(({ paths }) => paths) };
  await withCopy(env, project.root, opening, (work) =>
    options.dryRun === true ? dryRun(work, parts) : proofAll({ ...work, yes: options.yes ?? false }, parts),
  );
}

async function proofAll(proofing: Proofing, parts: readonly ProofPart[]): Promise<void> {
  const { env } = proofing;
  let end: PartEnd = { run: undefined, conflicts: 0 };
  let conflicts = 0;
  for (const [index, part] of parts.entries()) {
    if (parts.length > 1) env.err(`${part.doing}.\n`);
    end = await proofPart(proofing, part, { run: end.run, part: index + 1 });
    conflicts += end.conflicts;
  }
  if (end.run !== undefined)
    env.err(`nib ma undo takes it back; nib ma history ${end.run} shows it again.\n`);
  if (conflicts === 0) return;
  throw new NibError(
    `${counted(conflicts, 'file')} changed on both sides: your words stand, and the backend's are beside them as told above.`,
  );
}

/** Prints the changes to the copy and applies none. */
async function dryRun(work: Work, parts: readonly ProofPart[]): Promise<void> {
  const { env, session, copy } = work;
  const given = namesFor(
    copy.root,
    parts.flatMap(({ paths }) => paths),
  );
  for (const { request, doing } of parts) {
    const { text } = await ask(env, session, request, doing);
    if (text.trim() !== '') env.err(shownOn(env, 'err', `${text.trim()}\n`));
  }
  const { wanted, stray } = sortChanges(given, copy.changes());
  printChanges(env, wanted);
  if (stray.length > 0) env.err(`Changed though not to be proofread: ${namesOf(stray)}.\n`);
  const damaged = await guardProject(work);
  if (damaged.length > 0) throw projectDamage(damaged);
  env.err('This was a dry run: your files are as they were.\n');
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
