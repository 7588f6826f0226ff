import type { End } from '@plugboard/host';
import { askBackend } from '../backend/ask-backend.ts';
import type { BackendRequest } from '../backend/request.ts';
import { NibError } from '../nib-error.ts';
import { formatPaths } from '../proof/print-changes.ts';
import { createDamageError, guardAfterFailure, guardProject } from './project-guard.ts';
import type { CopySession } from './with-copy.ts';

/**
 * Asks a backend for an operation that changes no file. A change to the copy is discarded with the copy; it is thrown
 * as a `NibError` after `onAnswer`, and so is damage to the project itself.
 */
export async function askReadOnly(
  work: CopySession,
  request: BackendRequest,
  doing: string,
  onAnswer: (end: End) => void,
): Promise<void> {
  try {
    onAnswer(await askBackend(work.env, work.session, request, doing));
  } catch (error) {
    await guardAfterFailure(work);
    throw error;
  }
  await requireUnchanged(work);
}

/** Throws if a read-only request has changed a file of the copy or of the project. */
export async function requireUnchanged(work: CopySession): Promise<void> {
  const changed = await revertCopyChanges(work);
  if (changed !== undefined) throw changed;
  const damaged = await guardProject(work);
  if (damaged.length > 0) throw createDamageError(damaged);
}

/** Reverts changes to the copy and returns the error for them; undefined without a change. */
export async function revertCopyChanges(work: CopySession): Promise<NibError | undefined> {
  const { session, copy } = work;
  const changes = copy.changes();
  if (changes.length === 0) return undefined;
  // Must run before `reset`: `guardProject` recognizes a write by the backend by equal bytes in copy and project.
  const damaged = await guardProject(work);
  copy.reset();
  if (damaged.length > 0) return createDamageError(damaged);
  return new NibError(
    `nib-agent-${session.backend.name} was only to read, and has changed ${formatPaths(changes)} in its copy. Your files are as they were; do not rely on its answer.`,
  );
}
