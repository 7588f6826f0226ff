import type { End } from '@plugboard/host';
import { ask } from '../backend/ask.ts';
import type { BackendRequest } from '../backend/request.ts';
import { NibError } from '../failure.ts';
import { namesOf } from '../proof/report.ts';
import { guardAfterFailure, guardProject, projectDamage } from './project-guard.ts';
import type { Work } from './with-copy.ts';

/**
 * Asks a backend for an operation that changes no file. A change to the copy is discarded with the copy; it is thrown as a
 * `NibError` after `onAnswer`, and so is damage to the project itself.
 */
export async function askForReading(
  work: Work,
  request: BackendRequest,
  doing: string,
  onAnswer: (end: End) => void,
): Promise<void> {
  try {
    onAnswer(await ask(work.env, work.session, request, doing));
  } catch (error) {
    await guardAfterFailure(work);
    throw error;
  }
  await requireUnchanged(work);
}

/** Fails when a backend that was only to read has changed a file of its copy or of the project. */
export async function requireUnchanged(work: Work): Promise<void> {
  const changed = await changedCopy(work);
  if (changed !== undefined) throw changed;
  const damaged = await guardProject(work);
  if (damaged.length > 0) throw projectDamage(damaged);
}

/** The failure that a change in the copy is, which is undone there; undefined when there is none. */
export async function changedCopy(work: Work): Promise<NibError | undefined> {
  const { session, copy } = work;
  const changes = copy.changes();
  if (changes.length === 0) return undefined;
  // Before `reset`: bytes that are in the copy and in the project tell who wrote them.
  const damaged = await guardProject(work);
  copy.reset();
  if (damaged.length > 0) return projectDamage(damaged);
  return new NibError(
    `nib-agent-${session.backend.name} was only to read, and has changed ${namesOf(changes)} in its copy. Your files are as they were; do not rely on its answer.`,
  );
}
