import { execute, row, run, stepped, theRow } from '../../database/connection.ts';
import { MemoryError } from '../../database/error.ts';
import { transaction } from '../../database/transaction.ts';
import { anyEntry } from '../knowledge/stored.ts';
import type { Memory } from '../memory.ts';
import { deleteMessages, resummarise } from './delete-messages.ts';
import { redactionOf } from './redact.ts';
import { redactKnowledge, redactSummaries, redactTexts } from './redact-tables.ts';

/** What is to be forgotten: messages by number, whatever has a text, or an entry of knowledge with all its versions. */
export type Forgettable =
  | { readonly from: number; readonly to: number }
  | { readonly text: string }
  | { readonly slug: string };

/** What was forgotten. */
export interface Forgotten {
  /** Messages that are gone, among them the results of calls that are gone, and calls of results. */
  readonly messages: readonly number[];
  /** Summaries that were written anew, or blacked out. */
  readonly summaries: readonly number[];
  /** Entries of knowledge that are gone or blacked out. */
  readonly knowledge: readonly string[];
  /** Entries that were distilled from messages among which some are gone, and may still tell of them. */
  readonly knowledgeToCheck: readonly string[];
  /** Other texts that were blacked out: the present, settings, tasks, alarms. */
  readonly otherTexts: number;
  /** Whether the words are gone from unused parts of the file, too; not while another process reads it, or without room. */
  readonly overwritten: boolean;
}

type Removed = Omit<Forgotten, 'overwritten'>;

const NOTHING: Removed = { messages: [], summaries: [], knowledge: [], knowledgeToCheck: [], otherTexts: 0 };
const LEAST_TEXT = 3;

/**
 * Forgets for good: from the tables, from the indexes, and from what distillation made of it. Numbers of messages are not
 * used again. All of it happens, or nothing; the file is then written anew.
 */
export function forget(memory: Memory, what: Forgettable): Forgotten {
  const removed = transaction(memory.connection, () => {
    if ('slug' in what) return forgetEntry(memory, what.slug);
    return 'text' in what ? forgetText(memory, what.text) : forgetRange(memory, what.from, what.to);
  });
  return { ...removed, overwritten: overwrite(memory) };
}

function forgetRange(memory: Memory, from: number, to: number): Removed {
  if (!(Number.isSafeInteger(from) && Number.isSafeInteger(to)) || from < 1 || to < from) {
    throw new MemoryError('invalid', `${from} to ${to} is no range of messages.`);
  }
  const wanted = [
    ...stepped<{ number: number }>(
      memory.connection,
      'select number from messages where number between :from and :to',
      { from, to },
    ),
  ];
  const { messages, summaries } = deleteMessages(
    memory,
    wanted.map(({ number }) => number),
  );
  const rewritten = resummarise(memory, summaries);
  return { ...NOTHING, messages, summaries: rewritten, knowledgeToCheck: learntFrom(memory, messages) };
}

function forgetText(memory: Memory, text: string): Removed {
  const words = text.trim().toWellFormed();
  if (words.length < LEAST_TEXT) {
    throw new MemoryError('invalid', `"${text}" is too short: to forget all that has it would leave little.`);
  }
  const { connection } = memory;
  const redaction = redactionOf(words);
  const all = stepped<{ number: number; text: string; name: string | null }>(
    connection,
    'select number, text, name from messages',
  );
  const found: number[] = [];
  for (const message of all) {
    if (redaction.found(message.text) || redaction.found(message.name ?? '')) found.push(message.number);
  }
  const { messages } = deleteMessages(memory, found);
  return {
    messages,
    summaries: redactSummaries(connection, redaction),
    knowledge: redactKnowledge(connection, redaction),
    knowledgeToCheck: [],
    otherTexts: redactTexts(connection, redaction),
  };
}

function forgetEntry({ connection }: Memory, slug: string): Removed {
  const entry = anyEntry(connection, slug);
  if (entry === undefined) throw new MemoryError('not-found', `There is no entry "${slug}".`);
  const { id } = entry;
  const above = row<{ parent: number | null }>(connection, 'select parent from knowledge where id = :id', {
    id,
  });
  run(connection, 'update knowledge set parent = :above where parent = :id', {
    id,
    above: above?.parent ?? null,
  });
  run(connection, 'delete from knowledge_versions where entry = :id', { id });
  run(connection, 'delete from knowledge where id = :id', { id });
  return { ...NOTHING, knowledge: [slug] };
}

function learntFrom({ connection }: Memory, messages: readonly number[]): string[] {
  const found = stepped<{ slug: string }>(
    connection,
    `select distinct slug from knowledge_versions where exists
       (select 1 from json_each(:messages) where value between from_message and to_message) order by slug`,
    { messages: JSON.stringify(messages) },
  );
  return [...found].map(({ slug }) => slug);
}

/**
 * Merges what the indexes have deleted, and writes the file anew without what was in it; the log is emptied. What is
 * forgotten stays so when there is no room for that.
 */
function overwrite({ connection }: Memory): boolean {
  try {
    execute(
      connection,
      `insert into message_words (message_words) values ('optimize');
       insert into knowledge_words (knowledge_words) values ('optimize');
       vacuum;`,
    );
    return theRow<{ busy: number }>(connection, 'pragma wal_checkpoint(truncate)').busy === 0;
  } catch (error) {
    if (error instanceof MemoryError) return false;
    throw error;
  }
}
