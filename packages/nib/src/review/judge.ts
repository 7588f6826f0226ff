import { isObject, type JsonObject, reasonOf } from '@plugboard/protocol';
import type { Env } from '../env.ts';
import type { Extraction } from '../indexing/schema.ts';
import { editText } from './edit.ts';
import { type FoundRecord, formatRecord, problemsOf } from './record.ts';

/** Who judges, and where. */
export interface Reviewer {
  readonly env: Env;
  readonly root: string;
  /** Ends the waiting for an answer. */
  readonly signal: AbortSignal;
}

/** What is to become of a record. Only keys that mean yes are a yes. */
export type Verdict =
  | { readonly kind: 'accept'; readonly record: FoundRecord; readonly all: boolean }
  | { readonly kind: 'reject' | 'skip' | 'quit' | 'interrupted' };

const KEYS = '[a]ccept, [A]ccept all of this scene, [e]dit, [r]eject, [s]kip this scene, [q]uit: ';

/** Shows a record and asks until there is an answer; an edit is shown again before it counts. */
export async function judge(
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
      const edited = await edit(reviewer, record, draft, scene);
      draft = edited.draft;
      if (edited.record === undefined) continue;
      record = edited.record;
      env.err(`\n${formatRecord(record)}`);
      continue;
    }
    const verdict = verdictOf(key, record);
    if (verdict !== undefined) return verdict;
  }
}

function verdictOf(key: string | undefined, record: FoundRecord): Verdict | undefined {
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
  /** Missing when the text is not what it should be. */
  readonly record?: FoundRecord;
  /** A text that was wrong comes back in the next edit: nobody types it twice. */
  readonly draft?: string;
}

async function edit(
  { env, root }: Reviewer,
  { part, value }: FoundRecord,
  draft: string | undefined,
  scene: Extraction['scene'],
): Promise<Edited> {
  try {
    const text = await editText(env, root, draft ?? `${JSON.stringify(value, undefined, 2)}\n`);
    const changed = parsed(text);
    if (changed === undefined) return complain(env, text, ['this is not JSON']);
    const problems = problemsOf(part, changed, scene);
    if (problems.length > 0 || !isObject(changed)) return complain(env, text, problems);
    return { record: { part, value: textsOf(changed) } };
  } catch (error) {
    env.err(`${reasonOf(error)}\n`);
    return draft === undefined ? {} : { draft };
  }
}

function complain(env: Env, draft: string, problems: readonly string[]): Edited {
  env.err(`It cannot be taken like that: ${problems.join('; ')}. Press e to go on with your text.\n`);
  return { draft };
}

/** Every field of a record is a text; what else somebody has written there is not stored. */
function textsOf(value: JsonObject): Readonly<Record<string, string>> {
  const texts = Object.entries(value).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(texts);
}

/** Undefined is no JSON: every JSON value is something else. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
