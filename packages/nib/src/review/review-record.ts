import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isObject, type JsonObject, reasonOf } from '@plugboard/protocol';
import type { Env } from '../env.ts';
import { decodeUtf8 } from '../files/encoding.ts';
import type { Extraction } from '../indexing/extraction-schema.ts';
import { editFile } from '../terminal/editor.ts';
import { type FoundRecord, formatRecord, validateRecord } from './found-record.ts';

/** The input of `reviewRecord` that all records share. */
export interface Reviewer {
  readonly env: Env;
  readonly root: string;
  /** Ends the wait of `Keyboard.key`. */
  readonly signal: AbortSignal;
}

/** The decision on a record. Keys without a meaning are ignored. */
export type Verdict =
  | { readonly kind: 'accept'; readonly record: FoundRecord; readonly all: boolean }
  | { readonly kind: 'reject' | 'skip' | 'quit' | 'interrupted' };

const KEYS = '[a]ccept, [A]ccept all of this scene, [e]dit, [r]eject, [s]kip this scene, [q]uit: ';

/** Shows a record and waits for a decision; an edited record is shown again first. */
export async function reviewRecord(
  reviewer: Reviewer,
  first: FoundRecord,
  scene: Extraction['scene'],
): Promise<Verdict> {
  const { env, signal } = reviewer;
  let record = first;
  let draft: string | undefined;
  env.err(`\n${formatRecord(record)}`);
  for (;;) {
    env.err(KEYS);
    const key = await env.keyboard.key(signal);
    env.err(`${key !== undefined && /^[\x21-\x7E]$/.test(key) ? key : ''}\n`);
    if (key === 'e') {
      const edited = await editRecord(reviewer, record, draft, scene);
      draft = edited.draft;
      if (edited.record === undefined) continue;
      record = edited.record;
      env.err(`\n${formatRecord(record)}`);
      continue;
    }
    const verdict = parseVerdict(key, record);
    if (verdict !== undefined) return verdict;
  }
}

function parseVerdict(key: string | undefined, record: FoundRecord): Verdict | undefined {
  switch (key) {
    case 'a':
      return { kind: 'accept', record, all: false };
    case 'A':
      return { kind: 'accept', record, all: true };
    case 'r':
      return { kind: 'reject' };
    case 's':
      return { kind: 'skip' };
    case 'q':
      return { kind: 'quit' };
    case undefined:
      return { kind: 'interrupted' };
    default:
      return undefined;
  }
}

interface Edited {
  /** Undefined when `draft` is invalid. */
  readonly record?: FoundRecord;
  /** The invalid text, which the next edit starts from. */
  readonly draft?: string;
}

async function editRecord(
  { env, root }: Reviewer,
  { part, value }: FoundRecord,
  draft: string | undefined,
  scene: Extraction['scene'],
): Promise<Edited> {
  try {
    const text = await editText(env, root, draft ?? `${JSON.stringify(value, undefined, 2)}\n`);
    const changed = parseJson(text);
    if (changed === undefined) return reportProblems(env, text, ['this is not JSON']);
    const problems = validateRecord(part, changed, scene);
    if (problems.length > 0 || !isObject(changed)) return reportProblems(env, text, problems);
    return { record: { part, value: keepTexts(changed) } };
  } catch (error) {
    env.err(`${reasonOf(error)}\n`);
    return draft === undefined ? {} : { draft };
  }
}

function reportProblems(env: Env, draft: string, problems: readonly string[]): Edited {
  env.err(`It cannot be taken like that: ${problems.join('; ')}. Press e to go on with your text.\n`);
  return { draft };
}

/** Drops fields that are not strings: every field of a record is one. */
function keepTexts(value: JsonObject): Readonly<Record<string, string>> {
  const texts = Object.entries(value).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(texts);
}

/** Undefined means invalid JSON: JSON has no undefined value. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Opens a text in the person's editor and returns the edited text. The temporary file has mode 600 and is deleted
 * afterwards.
 */
async function editText(env: Env, cwd: string, text: string): Promise<string> {
  const directory = mkdtempSync(join(env.variables.TMPDIR || tmpdir(), 'nib-edit-'));
  const file = join(directory, 'record.json');
  try {
    writeFileSync(file, text, { mode: 0o600 });
    await editFile(env, cwd, file);
    return decodeUtf8(readFileSync(file), 'The text that your editor saved');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
