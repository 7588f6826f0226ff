import { join } from 'node:path';
import { NibError } from '../nib-error.ts';
import { readIfThere } from './read-file.ts';

/** One rename of a change. `staged`: `from` was created for the change and may be deleted. */
export interface Step {
  readonly from: string;
  readonly to: string;
  readonly staged: boolean;
}

/** The steps of a change, and its progress. */
export interface Journal {
  readonly phase: 'staging' | 'renaming';
  readonly steps: readonly Step[];
}

/**
 * The file with the paths that `replaceFile` works on, relative to the root; `finishReplacement` reads it after a
 * crash.
 */
export function getReplacementsPath(root: string): string {
  return join(root, '.nib', 'replacing.json');
}

/** The files that were being replaced when nib died. */
export function readReplacements(root: string): readonly string[] {
  const value = parseJson(readIfThere(getReplacementsPath(root)) ?? '[]');
  return Array.isArray(value) ? value.filter((path): path is string => typeof path === 'string') : [];
}

/** The journal of a project's change; it exists while the change is made. */
export function getJournalPath(root: string): string {
  return join(root, '.nib', 'journal.json');
}

/** The journal of an interrupted change; undefined without one. */
export function readJournal(root: string): Journal | undefined {
  const file = getJournalPath(root);
  const text = readIfThere(file);
  if (text === undefined) return undefined;
  const value = parseJson(text);
  if (isJournal(value)) return value;
  throw new NibError(
    `${file} should tell how to finish a change that was cut short, and is damaged. Look for files that end in .nib-new, then delete it.`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isJournal(value: unknown): value is Journal {
  if (typeof value !== 'object' || value === null || !('phase' in value) || !('steps' in value)) return false;
  if (value.phase !== 'staging' && value.phase !== 'renaming') return false;
  return Array.isArray(value.steps) && value.steps.every(isStep);
}

function isStep(value: unknown): value is Step {
  if (typeof value !== 'object' || value === null) return false;
  const { from, to, staged } = value as Partial<Record<keyof Step, unknown>>;
  if (typeof from !== 'string' || typeof to !== 'string' || typeof staged !== 'boolean') return false;
  // Only a staged file may be deleted, even if a damaged journal names another.
  return !staged || from.endsWith('.nib-new');
}
