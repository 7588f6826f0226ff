import { askBackend } from '../backend/ask-backend.ts';
import { type AskOptions, parseEffort, parseTimeout } from '../backend/request.ts';
import { createDamageError, guardProject } from '../copy/project-guard.ts';
import { type CopySession, withCopy } from '../copy/with-copy.ts';
import type { Env } from '../env.ts';
import { listAliases } from '../files/snapshot.ts';
import { finishInterrupted } from '../files/transaction.ts';
import { NibError } from '../nib-error.ts';
import { formatCount } from '../output.ts';
import { createHeadings } from '../project/headings.ts';
import { withLock } from '../project/lock.ts';
import { openProject, type Project } from '../project/project.ts';
import { type Selection, selectScenes } from '../project/range.ts';
import { requireText } from '../project/scene-file.ts';
import { escapeForTerminal } from '../terminal/colours.ts';
import { formatPaths, printChanges } from './print-changes.ts';
import { sortChanges } from './proof-changes.ts';
import { type PartEnd, type ProofPart, type ProofSession, proofPart } from './proof-part.ts';

/** The options of `nib ma proof`. */
export interface ProofOptions extends AskOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** Proofreads a range: one request per whole chapter, or one for several scenes. */
export async function proofRange(env: Env, range: string, options: ProofOptions): Promise<void> {
  const project = await openProject(env.cwd);
  const selection = selectScenes(project.book, range);
  requireText(project, selection.scenes);
  const parts = createParts(project, selection, parseEffort(env, options));
  // Fails on a read-only project before the backend does its work.
  if (options.dryRun !== true) await withLock(project.root, () => finishInterrupted(project.root));
  const opening = { timeout: parseTimeout(options), scenes: parts.flatMap(({ paths }) => paths) };
  await withCopy(env, project.root, opening, (work) =>
    options.dryRun === true ? runDry(work, parts) : proofAll({ ...work, yes: options.yes ?? false }, parts),
  );
}

async function proofAll(proofing: ProofSession, parts: readonly ProofPart[]): Promise<void> {
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
    `${formatCount(conflicts, 'file')} changed on both sides: your words stand, and the backend's are beside them as told above.`,
  );
}

/** The `--dry-run` option: prints the changes to the copy and applies none. */
async function runDry(work: CopySession, parts: readonly ProofPart[]): Promise<void> {
  const { env, session, copy } = work;
  const given = listAliases(
    copy.root,
    parts.flatMap(({ paths }) => paths),
  );
  for (const { request, doing } of parts) {
    const { text } = await askBackend(env, session, request, doing);
    if (text.trim() !== '') env.err(escapeForTerminal(env, 'err', `${text.trim()}\n`));
  }
  const { wanted, stray } = sortChanges(given, copy.changes());
  printChanges(env, wanted);
  if (stray.length > 0) env.err(`Changed though not to be proofread: ${formatPaths(stray)}.\n`);
  const damaged = await guardProject(work);
  if (damaged.length > 0) throw createDamageError(damaged);
  env.err('This was a dry run: your files are as they were.\n');
}

function createParts({ book }: Project, { whole, scenes, groups }: Selection, effort: string): ProofPart[] {
  const shown = createHeadings(book);
  if (!whole)
    return [createPart('scene-proof', scenes, effort, `Proofreading ${formatCount(scenes.length, 'scene')}`)];
  return groups.map(({ chapter, scenes: own }) => {
    const heading = shown[chapter.number - 1] ?? '';
    return createPart('chapter-proof', own, effort, `Proofreading chapter ${chapter.number}, ${heading}`);
  });
}

function createPart(
  operation: string,
  scenes: readonly { readonly path: string }[],
  effort: string,
  doing: string,
): ProofPart {
  const paths = [...new Set(scenes.map(({ path }) => path))];
  return { request: { operation, fields: { paths, effort } }, paths, doing };
}
