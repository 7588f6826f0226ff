import type { End } from '@plugboard/host';
import { terminalText } from '@plugboard/protocol';
import { askBackend, printAnswer } from '../backend/ask-backend.ts';
import type { BackendRequest } from '../backend/request.ts';
import { createDamageError, guardAfterFailure, guardProject } from '../copy/project-guard.ts';
import type { CopySession } from '../copy/with-copy.ts';
import type { FileChange } from '../files/file-changes.ts';
import { type FileState, listAliases } from '../files/snapshot.ts';
import { type Applied, applyChanges } from '../history/apply-changes.ts';
import { printConflicts } from '../history/history-report.ts';
import { keepForms } from '../merge/keep-form.ts';
import { NibError } from '../nib-error.ts';
import { formatCount } from '../output.ts';
import { askYesNo } from '../terminal/confirmation.ts';
import { formatPaths, printChanges } from './print-changes.ts';
import { losesMuch, sortChanges, spoilsText } from './proof-changes.ts';

/** One request of a proof: a chapter, or several scenes. */
export interface ProofPart {
  readonly request: BackendRequest;
  readonly paths: readonly string[];
  /** The text of the progress line. */
  readonly doing: string;
}

/** A `CopySession` with the options of the proof. */
export interface ProofSession extends CopySession {
  /** `--yes`: accept changes without a question. */
  readonly yes: boolean;
}

/** The ids of a part in the history; `run` is undefined until a part of the proof has changed a file. */
export interface PartId {
  readonly run: number | undefined;
  readonly part: number;
}

/** The result of `proofPart`. */
export interface PartEnd {
  readonly run: number | undefined;
  /** The number of files with conflicts. */
  readonly conflicts: number;
}

/** Runs the backend on one part of the copy, prints its changes, and merges accepted changes into the project. */
export async function proofPart(proofing: ProofSession, part: ProofPart, place: PartId): Promise<PartEnd> {
  const { env, copy } = proofing;
  const given = listAliases(copy.root, part.paths);
  const end = await askForPart(proofing, part, place);
  const changes = copy.changes();
  const { wanted, stray } = sortChanges(given, changes);
  printAnswer(env, end, true);
  printChanges(env, wanted);
  if (changes.length === 0) env.err('No file of the project was changed.\n');
  const { accepted, refusal } = await selectAccepted(proofing, wanted);
  const taken = [...accepted, ...withoutEntangled(await selectStray(proofing, stray), changes)];
  const applied = await applyPart(proofing, { ...place, what: part.doing }, taken);
  const damaged = await guardProject(proofing, listKnownVersions(applied));
  copy.update();
  const damage = damaged.length > 0 ? createDamageError(damaged) : undefined;
  if (refusal !== undefined && damage !== undefined) env.err(`${damage.message}\n`);
  const failure = refusal ?? damage;
  if (failure !== undefined) throw failure;
  return { run: applied?.entry.run ?? place.run, conflicts: applied?.conflicts.length ?? 0 };
}

/** Asks the backend; on failure its changes are in the copy only. */
async function askForPart(proofing: ProofSession, part: ProofPart, place: PartId): Promise<End> {
  try {
    return await askBackend(proofing.env, proofing.session, part.request, part.doing);
  } catch (error) {
    const written = await offerPartialWork(proofing, part, place);
    await guardAfterFailure(proofing, written);
    throw error;
  }
}

/** Prints the changes that a failed backend made to its copy, and offers at a terminal to apply them. */
async function offerPartialWork(
  proofing: ProofSession,
  { paths, doing }: ProofPart,
  place: PartId,
): Promise<ReadonlyMap<string, FileState | undefined> | undefined> {
  const { env, session, copy } = proofing;
  const changes = copy.changes();
  if (changes.length === 0) return undefined;
  printChanges(env, changes);
  const what = `${formatCount(changes.length, 'file')} changed in the copy before the backend ended: ${formatPaths(changes)}.`;
  const { wanted } = sortChanges(listAliases(copy.root, paths), changes);
  if (wanted.length > 0 && (await askYesNo(env, `${what} Take over the scenes?`, session.signal))) {
    const { accepted, refusal } = await selectAccepted(proofing, wanted);
    if (refusal !== undefined) env.err(`${refusal.message}\n`);
    return listKnownVersions(
      await applyPart(proofing, { ...place, what: `${doing} (unfinished)` }, accepted),
    );
  }
  env.err(`${what} Your files are as they were.\n`);
  return undefined;
}

interface Acceptance {
  readonly accepted: readonly FileChange[];
  /** The reason for changes that are not accepted; thrown after `applyPart`. */
  readonly refusal: NibError | undefined;
}

async function selectAccepted(
  { env, yes, session }: ProofSession,
  wanted: readonly FileChange[],
): Promise<Acceptance> {
  const spoiled = wanted.filter((change) => spoilsText(change) || isNoFile(change));
  const readable = wanted.filter((change) => !spoiled.includes(change));
  const losses = yes ? [] : readable.filter(losesMuch);
  const cut = `More than 40 % of the words are gone from ${formatPaths(losses)}.`;
  const isKept = losses.length > 0 && (await askYesNo(env, `${cut} Take it over like that?`, session.signal));
  const accepted = isKept ? readable : readable.filter((change) => !losses.includes(change));
  const kinds = spoiled.filter(isNoFile);
  if (kinds.length > 0) return { accepted, refusal: new NibError(formatNoFiles(kinds)) };
  if (spoiled.length > 0) return { accepted, refusal: createSpoiledError(spoiled) };
  if (losses.length === 0 || isKept) return { accepted, refusal: undefined };
  const sentence = `${cut} That is no proofreading, so it was not taken over; --yes takes such changes.`;
  return { accepted, refusal: new NibError(sentence) };
}

/** Not accepted even with `--yes`: letters would be replaced by bytes that editors do not show. */
function createSpoiledError(spoiled: readonly FileChange[]): NibError {
  return new NibError(
    `The backend wrote bytes that are not UTF-8 text, or replaced letters by U+FFFD, in ${formatPaths(spoiled)}. It was not taken over.`,
  );
}

/** Files below a path that a directory has taken, and a file in the place of a directory, cannot be without those. */
function withoutEntangled(
  stray: readonly FileChange[],
  changes: readonly FileChange[],
): readonly FileChange[] {
  const refused = changes.filter(isNoFile).map(({ path }) => `${path}/`);
  return stray.filter(({ path }) =>
    refused.every((other) => !other.startsWith(`${path}/`) && !path.startsWith(other)),
  );
}

/** Never taken over, and no deletion either. */
function formatNoFiles(changes: readonly FileChange[]): string {
  const kinds = changes.map(({ path, after }) => `${terminalText(path)} (${describeKind(after)})`);
  return `The backend put something else than a regular file in the place of ${kinds.join(', ')}. It was not taken over: your files are as they were.`;
}

function describeKind(state: FileState | undefined): string {
  if (state?.kind === 'other') return terminalText(state.what);
  return state?.kind === 'link' ? 'a link' : 'too large, or closed to nib';
}

function isNoFile({ after }: FileChange): boolean {
  return after !== undefined && after.kind !== 'file';
}

/** Accepts changes to files outside the range only with `--yes` or after a question at a terminal. */
async function selectStray(
  { env, yes, session }: ProofSession,
  stray: readonly FileChange[],
): Promise<readonly FileChange[]> {
  if (stray.length === 0) return [];
  const what = `The backend has also changed what was not to be proofread: ${formatPaths(stray)}.`;
  const isTaken = yes || (await askYesNo(env, `${what} Take that over too?`, session.signal));
  if (yes || !env.keyboard.isTerminal) env.err(`${what}\n`);
  if (!isTaken) env.err('That was not taken over.\n');
  const kinds = stray.filter(isNoFile);
  if (isTaken && kinds.length > 0) env.err(`${formatNoFiles(kinds)}\n`);
  return isTaken ? stray.filter((change) => !isNoFile(change)) : [];
}

/** The versions in the project that come from this proof. */
function listKnownVersions(applied: Applied | undefined): ReadonlyMap<string, FileState | undefined> {
  return new Map([...(applied?.written ?? []), ...(applied?.agreed ?? [])]);
}

async function applyPart(
  { env, root }: ProofSession,
  place: PartId & { readonly what: string },
  accepted: readonly FileChange[],
): Promise<Applied | undefined> {
  const changes = keepForms(accepted);
  if (changes.length === 0) return undefined;
  const applied = await applyChanges(env, root, { ...place, kind: 'proof' }, changes);
  const { merged, conflicts } = applied;
  if (merged.length > 0)
    env.err(`Merged with what you saved meanwhile: ${formatPaths(merged.map((path) => ({ path })))}.\n`);
  printConflicts(env, conflicts);
  return applied;
}
