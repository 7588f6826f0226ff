import type { End } from '@plugboard/host';
import { ask, printAnswer } from '../backend/ask.ts';
import type { BackendRequest } from '../backend/request.ts';
import { guardAfterFailure, guardProject, projectDamage } from '../copy/project-guard.ts';
import type { Work } from '../copy/with-copy.ts';
import { NibError } from '../failure.ts';
import type { FileChange } from '../files/changes.ts';
import { type Held, namesFor } from '../files/snapshot.ts';
import { type Applied, applyChanges } from '../history/apply.ts';
import { tellConflicts } from '../history/report.ts';
import { counted } from '../output.ts';
import { saysYes } from '../terminal/ask.ts';
import { losesMuch, sortChanges, spoilsText } from './changes.ts';
import { namesOf, printChanges } from './report.ts';

/** One request of a proof: a chapter, or some scenes. */
export interface ProofPart {
  readonly request: BackendRequest;
  readonly paths: readonly string[];
  /** What is going on, for a person who waits. */
  readonly doing: string;
}

/** What every part of a proof knows. */
export interface Proofing extends Work {
  /** Whatever the backend does is accepted. */
  readonly yes: boolean;
}

/** The ids of a part in the history; `run` is undefined until a part of the proof has changed a file. */
export interface PartPlace {
  readonly run: number | undefined;
  readonly part: number;
}

/** The result of `proofPart`. */
export interface PartEnd {
  readonly run: number | undefined;
  /** Files with conflicts. */
  readonly conflicts: number;
}

/** Runs the backend on one part of the copy, prints its changes, and merges accepted changes into the project. */
export async function proofPart(proofing: Proofing, part: ProofPart, place: PartPlace): Promise<PartEnd> {
  const { env, copy } = proofing;
  const given = namesFor(copy.root, part.paths);
  const end = await askFor(proofing, part, place);
  const changes = copy.changes();
  const { wanted, stray } = sortChanges(given, changes);
  printAnswer(env, end, true);
  printChanges(env, wanted);
  if (changes.length === 0) env.err('No file of the project was changed.\n');
  const { accepted, refusal } = await judge(proofing, wanted);
  const taken = [...accepted, ...(await judgeStray(proofing, stray))];
  const applied = await takeOver(proofing, { ...place, what: part.doing }, taken);
  const damaged = await guardProject(proofing, knownVersions(applied));
  copy.update();
  const damage = damaged.length > 0 ? projectDamage(damaged) : undefined;
  if (refusal !== undefined && damage !== undefined) env.err(`${damage.message}\n`);
  const failure = refusal ?? damage;
  if (failure !== undefined) throw failure;
  return { run: applied?.entry.run ?? place.run, conflicts: applied?.conflicts.length ?? 0 };
}

/** Asks the backend; on failure its changes are in the copy only. */
async function askFor(proofing: Proofing, part: ProofPart, place: PartPlace): Promise<End> {
  try {
    return await ask(proofing.env, proofing.session, part.request, part.doing);
  } catch (error) {
    const written = await offerPartialWork(proofing, part, place);
    await guardAfterFailure(proofing, written);
    throw error;
  }
}

/** Prints the changes that a failed backend made to its copy, and offers at a terminal to apply them. */
async function offerPartialWork(
  proofing: Proofing,
  { paths, doing }: ProofPart,
  place: PartPlace,
): Promise<ReadonlyMap<string, Held | undefined> | undefined> {
  const { env, session, copy } = proofing;
  const changes = copy.changes();
  if (changes.length === 0) return undefined;
  printChanges(env, changes);
  const what = `${counted(changes.length, 'file')} changed in the copy before the backend ended: ${namesOf(changes)}.`;
  const { wanted } = sortChanges(namesFor(copy.root, paths), changes);
  if (wanted.length > 0 && (await saysYes(env, `${what} Take over the scenes?`, session.signal))) {
    const { accepted, refusal } = await judge(proofing, wanted);
    if (refusal !== undefined) env.err(`${refusal.message}\n`);
    return knownVersions(await takeOver(proofing, { ...place, what: `${doing} (unfinished)` }, accepted));
  }
  env.err(`${what} Your files are as they were.\n`);
  return undefined;
}

interface Judgement {
  readonly accepted: readonly FileChange[];
  /** The reason for changes that are not accepted; thrown after `takeOver`. */
  readonly refusal: NibError | undefined;
}

async function judge({ env, yes, session }: Proofing, wanted: readonly FileChange[]): Promise<Judgement> {
  const spoiled = wanted.filter((change) => spoilsText(change) || isNoFile(change));
  const readable = wanted.filter((change) => !spoiled.includes(change));
  const losses = yes ? [] : readable.filter(losesMuch);
  const cut = `More than 40 % of the words are gone from ${namesOf(losses)}.`;
  const isKept = losses.length > 0 && (await saysYes(env, `${cut} Take it over like that?`, session.signal));
  const accepted = isKept ? readable : readable.filter((change) => !losses.includes(change));
  if (spoiled.length > 0) return { accepted, refusal: spoiledFailure(spoiled) };
  if (losses.length === 0 || isKept) return { accepted, refusal: undefined };
  const sentence = `${cut} That is no proofreading, so it was not taken over; --yes takes such changes.`;
  return { accepted, refusal: new NibError(sentence) };
}

/** No `--yes` takes these over: no author wants letters replaced by bytes that no editor shows. */
function spoiledFailure(spoiled: readonly FileChange[]): NibError {
  return new NibError(
    `The backend wrote bytes that are not UTF-8 text, replaced letters by U+FFFD, or put something else than a file in the place of ${namesOf(spoiled)}. It was not taken over.`,
  );
}

function isNoFile({ after }: FileChange): boolean {
  return after !== undefined && after.kind !== 'file';
}

/** Changes to files outside the range; they are accepted with `--yes` or by the user at a terminal. */
async function judgeStray(
  { env, yes, session }: Proofing,
  stray: readonly FileChange[],
): Promise<readonly FileChange[]> {
  if (stray.length === 0) return [];
  const what = `The backend has also changed what was not to be proofread: ${namesOf(stray)}.`;
  const isTaken = yes || (await saysYes(env, `${what} Take that over too?`, session.signal));
  if (yes || !env.keyboard.isTerminal) env.err(`${what}\n`);
  if (!isTaken) env.err('That was not taken over.\n');
  return isTaken ? stray.filter((change) => !isNoFile(change)) : [];
}

/** Versions in the project that this proof accounts for. */
function knownVersions(applied: Applied | undefined): ReadonlyMap<string, Held | undefined> {
  return new Map([...(applied?.written ?? []), ...(applied?.agreed ?? [])]);
}

async function takeOver(
  { env, root }: Proofing,
  place: PartPlace & { readonly what: string },
  changes: readonly FileChange[],
): Promise<Applied | undefined> {
  if (changes.length === 0) return undefined;
  const applied = await applyChanges(env, root, { ...place, kind: 'proof' }, changes);
  const { merged, conflicts } = applied;
  if (merged.length > 0)
    env.err(`Merged with what you saved meanwhile: ${namesOf(merged.map((path) => ({ path })))}.\n`);
  tellConflicts(env, conflicts);
  return applied;
}
