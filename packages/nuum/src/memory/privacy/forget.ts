import { executeSql, findRow, requireRow, runStatement, runTransaction } from '@plugboard/sqlite';
import { iterateRows } from '../../database/connection.ts';
import { MemoryError } from '../../database/error.ts';
import { anyEntry } from '../knowledge/stored.ts';
import type { Memory } from '../memory.ts';
import { deleteMessages, rewriteSummaries } from './delete-messages.ts';
import { redactionOf } from './redact.ts';
import { redactKnowledge, redactSummaries, redactTexts } from './redact-tables.ts';

/** Messages by number, everything that contains a text, or a knowledge entry with all its versions. */
export type Forgettable =
  | { readonly from: number; readonly to: number }
  | { readonly text: string }
  | { readonly slug: string };

export interface Forgotten {
  /** Deleted messages, including the results of deleted calls and the calls of deleted results. */
  readonly messages: readonly number[];
  /** Summaries that were rewritten or redacted. */
  readonly summaries: readonly number[];
  /** Slugs of entries that were deleted or redacted. */
  readonly knowledge: readonly string[];
  /** Slugs of entries that were made from deleted messages, and may still repeat them. */
  readonly knowledgeToCheck: readonly string[];
  /** The number of other redacted texts: the present, settings, tasks, alarms. */
  readonly otherTexts: number;
  /** False when unused pages of the file still have the text: another process reads the file, or the disk is full. */
  readonly overwritten: boolean;
}

type Removed = Omit<Forgotten, 'overwritten'>;

const NOTHING: Removed = { messages: [], summaries: [], knowledge: [], knowledgeToCheck: [], otherTexts: 0 };
const LEAST_TEXT = 3;

/**
 * Deletes for good, from tables, indexes, summaries and knowledge, in one transaction. Numbers of messages are not used
 * again. The file is then rewritten.
 */
export function forgetContent(memory: Memory, what: Forgettable): Forgotten {
  const removed = runTransaction(memory.connection, () => {
    if ('slug' in what) return forgetEntry(memory, what.slug);
    return 'text' in what ? forgetText(memory, what.text) : forgetRange(memory, what.from, what.to);
  });
  return { ...removed, overwritten: overwriteFile(memory) };
}

function forgetRange(memory: Memory, from: number, to: number): Removed {
  if (!(Number.isSafeInteger(from) && Number.isSafeInteger(to)) || from < 1 || to < from) {
    throw new MemoryError('invalid', `${from} to ${to} is no range of messages.`);
  }
  const wanted = [
    ...iterateRows<{ number: number }>(
      memory.connection,
      'select number from messages where number between :from and :to',
      { from, to },
    ),
  ];
  const { messages, summaries } = deleteMessages(
    memory,
    wanted.map(({ number }) => number),
  );
  const rewritten = rewriteSummaries(memory, summaries);
  return { ...NOTHING, messages, summaries: rewritten, knowledgeToCheck: knowledgeFrom(memory, messages) };
}

function forgetText(memory: Memory, text: string): Removed {
  const words = text.trim().toWellFormed();
  if (words.length < LEAST_TEXT) {
    throw new MemoryError('invalid', `"${text}" is too short: to forget all that has it would leave little.`);
  }
  const { connection } = memory;
  const redaction = redactionOf(words);
  const all = iterateRows<{ number: number; text: string; name: string | null }>(
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
  const above = findRow<{ parent: number | null }>(
    connection,
    'select parent from knowledge where id = :id',
    {
      id,
    },
  );
  runStatement(connection, 'update knowledge set parent = :above where parent = :id', {
    id,
    above: above?.parent ?? null,
  });
  runStatement(connection, 'delete from knowledge_versions where entry = :id', { id });
  runStatement(connection, 'delete from knowledge where id = :id', { id });
  return { ...NOTHING, knowledge: [slug] };
}

function knowledgeFrom({ connection }: Memory, messages: readonly number[]): string[] {
  const found = iterateRows<{ slug: string }>(
    connection,
    `select distinct slug from knowledge_versions where exists
       (select 1 from json_each(:messages) where value between from_message and to_message) order by slug`,
    { messages: JSON.stringify(messages) },
  );
  return [...found].map(({ slug }) => slug);
}

/**
 * Purges deleted words from the indexes, rewrites the file with `vacuum` and empties the log. Without room for that,
 * the data stays deleted, and this returns false.
 */
function overwriteFile({ connection }: Memory): boolean {
  try {
    executeSql(
      connection,
      `insert into message_words (message_words) values ('optimize');
       insert into knowledge_words (knowledge_words) values ('optimize');
       vacuum;`,
    );
    return requireRow<{ busy: number }>(connection, 'pragma wal_checkpoint(truncate)').busy === 0;
  } catch (error) {
    if (error instanceof MemoryError) return false;
    throw error;
  }
}
