import { type Connection, findRow, listRows, runStatement } from '@plugboard/sqlite';
import { getPresent, setPresent } from '../agent/present.ts';
import { indexEntry } from '../knowledge/write-entry.ts';
import { type StoredSummary, SUMMARY_COLUMNS, summaryTokens } from '../summaries/stored.ts';
import type { Redaction } from './redact.ts';

/** Texts of other tables: table, key column, text column. */
const TEXTS: readonly (readonly [table: string, key: string, column: string])[] = [
  ['settings', 'name', 'value'],
  ['inbox', 'number', 'text'],
  ['tasks', 'id', 'description'],
  ['tasks', 'id', 'result'],
  ['alarms', 'id', 'note'],
];

/**
 * Redacts the context of all summaries, and removes facts that contain the text. Returns the numbers of changed
 * summaries.
 */
export function redactSummaries(connection: Connection, redaction: Redaction): number[] {
  const all = listRows<StoredSummary>(connection, `select ${SUMMARY_COLUMNS} from summaries`);
  const touched = all.filter(({ context, facts }) => redaction.found(context) || redaction.found(facts));
  for (const { number, context, facts } of touched) {
    const kept = (JSON.parse(facts) as string[]).filter((fact) => !redaction.found(fact));
    writeGist(connection, number, redaction.applied(context), kept);
  }
  return touched.map(({ number }) => number);
}

export function writeGist(
  connection: Connection,
  number: number,
  context: string,
  facts: readonly string[],
): void {
  runStatement(
    connection,
    'update summaries set context = :context, facts = :facts, tokens = :tokens where number = :number',
    { number, context, facts: JSON.stringify(facts), tokens: summaryTokens(context, facts) },
  );
}

/** Redacts every version of all knowledge. Returns the slugs of changed entries. */
export function redactKnowledge(connection: Connection, redaction: Redaction): string[] {
  const slugs = new Set<string>();
  const versions = listRows<{ entry: number; version: number; slug: string; title: string; body: string }>(
    connection,
    'select entry, version, slug, title, body from knowledge_versions',
  ).filter(({ title, body }) => redaction.found(title) || redaction.found(body));
  for (const { entry, version, slug, title, body } of versions) {
    slugs.add(slug);
    const texts = { title: redaction.applied(title), body: redaction.applied(body) };
    runStatement(
      connection,
      'update knowledge_versions set title = :title, body = :body where entry = :entry and version = :version',
      { entry, version, ...texts },
    );
    redactLive(connection, entry, redaction);
  }
  return [...slugs];
}

function redactLive(connection: Connection, id: number, redaction: Redaction): void {
  const entry = findRow<{ slug: string; title: string; body: string; archived: number }>(
    connection,
    'select slug, title, body, archived_at is not null as archived from knowledge where id = :id',
    { id },
  );
  if (entry === undefined) return;
  const [title, body] = [redaction.applied(entry.title), redaction.applied(entry.body)];
  runStatement(connection, 'update knowledge set title = :title, body = :body where id = :id', {
    id,
    title,
    body,
  });
  indexEntry(connection, id, entry.archived === 1 ? undefined : `${entry.slug}\n${title}\n${body}`);
}

/** Redacts all other texts. Returns the number of changed texts. */
export function redactTexts(connection: Connection, redaction: Redaction): number {
  let count = redactPresent(connection, redaction);
  for (const [table, key, column] of TEXTS) {
    const found = listRows<{ key: string | number; text: string }>(
      connection,
      `select ${key} as key, ${column} as text from ${table} where ${column} is not null`,
    ).filter(({ text }) => redaction.found(text));
    for (const { key: value, text } of found) {
      runStatement(connection, `update ${table} set ${column} = :text where ${key} = :value`, {
        value,
        text: redaction.applied(text),
      });
    }
    count += found.length;
  }
  return count;
}

function redactPresent(connection: Connection, redaction: Redaction): number {
  const { mission, status, todos } = getPresent(connection);
  const texts = [mission, status, ...todos.flatMap(({ content, reason }) => [content, reason ?? ''])];
  const { applied } = redaction;
  setPresent(connection, {
    mission: applied(mission),
    status: applied(status),
    todos: todos.map(({ reason, ...todo }) => ({
      ...todo,
      content: applied(todo.content),
      ...(reason !== undefined && { reason: applied(reason) }),
    })),
  });
  return texts.filter(redaction.found).length;
}
