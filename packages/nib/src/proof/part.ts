import type { End } from '@plugboard/host';
import { ask, printAnswer } from '../backend/ask.ts';
import type { BackendRequest } from '../backend/request.ts';
import type { Session } from '../backend/with-backend.ts';
import type { Env } from '../env.ts';
import { NibError } from '../failure.ts';
import { counted } from '../output.ts';
import { saysYes } from '../terminal/ask.ts';
import type { HeldBackup } from './backup.ts';
import { changesBetween, type FileChange, losesMuch, sortChanges, spoilsText } from './changes.ts';
import { namesOf, printChanges, undo } from './report.ts';
import { namesFor, type Snapshot, takeSnapshot } from './snapshot.ts';

/** One request of a proof: a chapter, or some scenes. */
export interface ProofPart {
  readonly request: BackendRequest;
  readonly paths: readonly string[];
  /** What is going on, for a person who waits. */
  readonly doing: string;
}

/** What every part of a proof knows. */
export interface Proofing {
  readonly env: Env;
  readonly root: string;
  readonly session: Session;
  /** Whatever the backend does is accepted. */
  readonly yes: boolean;
  readonly backup: HeldBackup;
}

/** Lets the backend at one part, shows what it did, and undoes what it should not have done. Gives the project as it is then. */
export async function proofPart(proofing: Proofing, part: ProofPart, before: Snapshot): Promise<Snapshot> {
  const { env, root, backup } = proofing;
  const given = namesFor(root, part.paths);
  const end = await askFor(proofing, part, before);
  const changes = changesBetween(before, takeSnapshot(root, backup.given));
  const { wanted, stray } = sortChanges(given, changes);
  printAnswer(env, end, true);
  printChanges(env, wanted);
  if (changes.length === 0) env.err('No file of the project was changed.\n');
  await judgeStray(proofing, stray);
  refuseSpoiled(proofing, wanted.filter(spoilsText));
  await judgeLosses(proofing, wanted.filter(losesMuch));
  return takeSnapshot(root, backup.given);
}

async function askFor(proofing: Proofing, part: ProofPart, before: Snapshot): Promise<End> {
  const { env, root, session, backup } = proofing;
  try {
    return await ask(env, session, part.request, part.doing);
  } catch (error) {
    await afterFailure(proofing, changesBetween(before, takeSnapshot(root, backup.given)));
    throw error;
  }
}

/** A backend that failed half way has left something: it is shown, and can be put back now or later. */
async function afterFailure(
  { env, root, session, backup }: Proofing,
  changes: readonly FileChange[],
): Promise<void> {
  if (changes.length === 0) return backup.drop();
  printChanges(env, changes);
  const what = `${counted(changes.length, 'file')} changed before the backend ended: ${namesOf(changes)}.`;
  if (await saysYes(env, `${what} Put back what was there before?`, session.signal)) {
    undo(env, root, changes);
    return backup.drop();
  }
  backup.keep();
  env.err(`${what} What was there before is in ${backup.place}; nib ma restore puts it back.\n`);
}

/** Other files may have been changed by the backend, or by the author meanwhile: only the author knows. */
async function judgeStray(
  { env, root, yes, session }: Proofing,
  stray: readonly FileChange[],
): Promise<void> {
  if (stray.length === 0) return;
  const what = `Files changed meanwhile that were not to be proofread: ${namesOf(stray)}.`;
  if (yes || !env.keyboard.isTerminal) env.err(`${what}\n`);
  if (yes || (await saysYes(env, `${what} Keep these changes?`, session.signal))) return;
  undo(env, root, stray);
}

/** No `--yes` keeps these: the author cannot want letters replaced by bytes that no editor shows. */
function refuseSpoiled({ env, root, backup }: Proofing, spoiled: readonly FileChange[]): void {
  if (spoiled.length === 0) return;
  undo(env, root, spoiled);
  backup.drop();
  throw new NibError(
    `The backend wrote bytes that are not UTF-8 text, or replaced letters by U+FFFD, in ${namesOf(spoiled)}. It was put back.`,
  );
}

async function judgeLosses(
  { env, root, yes, backup, session }: Proofing,
  losses: readonly FileChange[],
): Promise<void> {
  if (losses.length === 0 || yes) return;
  const what = `More than 40 % of the words are gone from ${namesOf(losses)}.`;
  if (await saysYes(env, `${what} Keep it like that?`, session.signal)) return;
  undo(env, root, losses);
  backup.drop();
  session.signal.throwIfAborted();
  throw new NibError(`${what} That is no proofreading, so it was put back; --yes keeps such changes.`);
}
