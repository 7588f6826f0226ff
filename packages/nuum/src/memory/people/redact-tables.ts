import { type Connection, row, rows, run } from '../../database/connection.ts';
import { getPresent, setPresent } from '../agent/present.ts';
import { index } from '../knowledge/change.ts';
import { type StoredSummary, SUMMARY_COLUMNS, summaryTokens } from '../summaries/stored.ts';
import type { Redaction } from './redact.ts';

/** Short texts outside messages, summaries, knowledge and the present, by table, key and column. */
const TEXTS: readonly (readonly [table: string, key: string, column: string])[] = [
  ['settings', 'name', 'value'],
  ['inbox', 'number', 'text'],
  ['tasks', 'id', 'description'],
  ['tasks', 'id', 'result'],
  ['alarms', 'id', 'note'],
];

/** Blacks a text out of all summaries; facts with it are dropped. Gives the numbers of those that had it. */
export function redactSummaries(connection: Connection, redaction: Redaction): number[] {
  const all = rows<StoredSummary>(connection, `select ${SUMMARY_COLUMNS} from summaries`);
  const touched = all.filter(({ context, facts }) => redaction.found(context) || redaction.found(facts));
  for (const { number, context, facts } of touched) {
    const kept = (JSON.parse(facts) as string[]).filter((fact) => !redaction.found(fact));
    writeGist(connection, number, redaction.applied(context), kept);
  }
  return touched.map(({ number }) => number);
}

/** Gives a summary other words. */
export function writeGist(
  connection: Connection,
  number: number,
  context: string,
  facts: readonly string[],
): void {
  run(
    connection,
    'update summaries set context = :context, facts = :facts, tokens = :tokens where number = :number',
    { number, context, facts: JSON.stringify(facts), tokens: summaryTokens(context, facts) },
  );
}

/** Blacks a text out of every version of all knowledge; gives the slugs of the entries that had it. */
export function redactKnowledge(connection: Connection, redaction: Redaction): string[] {
  const slugs = new Set<string>();
  const versions = rows<{ entry: number; version: number; slug: string; title: string; body: string }>(
    connection,
    'select entry, version, slug, title, body from knowledge_versions',
  ).filter(({ title, body }) => redaction.found(title) || redaction.found(body));
  for (const { entry, version, slug, title, body } of versions) {
    slugs.add(slug);
    const texts = { title: redaction.applied(title), body: redaction.applied(body) };
    run(
      connection,
      'update knowledge_versions set title = :title, body = :body where entry = :entry and version = :version',
      { entry, version, ...texts },
    );
    redactLive(connection, entry, redaction);
  }
  return [...slugs];
}

function redactLive(connection: Connection, id: number, redaction: Redaction): void {
  const entry = row<{ slug: string; title: string; body: string; archived: number }>(
    connection,
    'select slug, title, body, archived_at is not null as archived from knowledge where id = :id',
    { id },
  );
  if (entry === undefined) return;
  const [title, body] = [redaction.applied(entry.title), redaction.applied(entry.body)];
  run(connection, 'update knowledge set title = :title, body = :body where id = :id', { id, title, body });
  index(connection, id, entry.archived === 1 ? undefined : `${entry.slug}\n${title}\n${body}`);
}

/** Blacks a text out of everything else that is kept; gives how many texts had it. */
export function redactTexts(connection: Connection, redaction: Redaction): number {
  let count = redactPresent(connection, redaction);
  for (const [table, key, column] of TEXTS) {
    const found = rows<{ key: string | number; text: string }>(
      connection,
      `select ${key} as key, ${column} as text from ${table} where ${column} is not null`,
    ).filter(({ text }) => redaction.found(text));
    for (const { key: value, text } of found) {
      run(connection, `update ${table} set ${column} = :text where ${key} = :value`, {
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
