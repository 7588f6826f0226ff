import { join } from 'node:path';
import { NibError } from '../failure.ts';
import { readIfThere } from './read.ts';

/** One rename of a change; `staged` says that the source was made for it and may be thrown away. */
export interface Step {
  readonly from: string;
  readonly to: string;
  readonly staged: boolean;
}

/** What a change intends, and how far it has come. */
export interface Journal {
  readonly phase: 'staging' | 'renaming';
  readonly steps: readonly Step[];
}

/** Names the files that `replaceFile` works on, relative to the root, so that `finishReplacement` can mend a crash. */
export function replacementsFile(root: string): string {
  return join(root, '.nib', 'replacing.json');
}

/** The files that were being replaced when nib died, if any. */
export function readReplacements(root: string): readonly string[] {
  const value = parsed(readIfThere(replacementsFile(root)) ?? '[]');
  return Array.isArray(value) ? value.filter((path): path is string => typeof path === 'string') : [];
}

/** Where the journal of a project's change stands while the change is made. */
export function journalFile(root: string): string {
  return join(root, '.nib', 'journal.json');
}

/** The journal of a change that was cut short, if there is one. */
export function readJournal(root: string): Journal | undefined {
  const file = journalFile(root);
  const text = readIfThere(file);
  if (text === undefined) return undefined;
  const value = parsed(text);
  if (isJournal(value)) return value;
  throw new NibError(
    `${file} should tell how to finish a change that was cut short, and is damaged. Look for files that end in .nib-new, then delete it.`,
  );
}

function parsed(text: string): unknown {
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
  // Only what was staged may be thrown away, whatever the journal says.
  return !staged || from.endsWith('.nib-new');
}
