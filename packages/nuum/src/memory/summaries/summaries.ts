import {
  type Connection,
  findRow,
  listRows,
  requireRow,
  runStatement,
  runTransaction,
} from '@plugboard/sqlite';
import { type Counters, countCovered, readCounters } from '../agent/counters.ts';
import {
  type StoredSummary,
  SUMMARY_COLUMNS,
  type Summary,
  shownSummaries,
  shownTokens,
  summaryOf,
  summaryTokens,
} from './stored.ts';

/** The text of a summary. */
export interface Gist {
  readonly context: string;
  readonly facts: readonly string[];
}

/** The counters when the material of a gist was read. A gist is refused when they have changed since. */
interface Basis {
  readonly coveredTo: number;
  readonly forgettings: number;
}

/** The table `summaries`. */
export interface Summaries {
  /** Summaries without a parent, oldest first. */
  shown(): readonly StoredSummary[];
  /** Of the shown summaries. */
  readonly tokens: number;
  readonly counters: Counters;
  /** Adds a summary of the messages after `coveredTo` up to `to`. Undefined when they have changed since `basis`. */
  cover(to: number, gist: Gist, madeBy: 'model' | 'rules', basis: Basis): Summary | undefined;
  /** Adds a summary that becomes the parent of consecutive ones. Undefined when one of them is not shown any more. */
  merge(parts: readonly number[], gist: Gist, madeBy: 'model' | 'rules', basis: Basis): Summary | undefined;
  /** The latest of level 0. */
  latest(most: number): readonly StoredSummary[];
}

type NewSummary = Pick<StoredSummary, 'level' | 'from' | 'to' | 'fromAt' | 'toAt' | 'messages'>;

export function createSummaries(connection: Connection, now: () => number): Summaries {
  return {
    shown: () => shownSummaries(connection),
    get tokens() {
      return shownTokens(connection);
    },
    get counters() {
      return readCounters(connection);
    },
    cover: (to, gist, madeBy, basis) =>
      runTransaction(connection, () => {
        const { coveredTo, forgettings } = readCounters(connection);
        if (coveredTo !== basis.coveredTo || forgettings !== basis.forgettings) return undefined;
        return coverUpTo(connection, coveredTo, to, gist, madeBy, now());
      }),
    merge: (parts, gist, madeBy, basis) =>
      runTransaction(connection, () => {
        if (readCounters(connection).forgettings !== basis.forgettings) return undefined;
        return mergeParts(connection, parts, gist, madeBy, now());
      }),
    latest: (most) =>
      listRows<StoredSummary>(
        connection,
        `select ${SUMMARY_COLUMNS} from summaries where level = 0 order by number desc limit :most`,
        { most },
      ),
  };
}

function coverUpTo(
  connection: Connection,
  coveredTo: number,
  to: number,
  gist: Gist,
  madeBy: 'model' | 'rules',
  now: number,
): Summary | undefined {
  const range = requireRow<NewSummary & { shown: number }>(
    connection,
    `select 0 as level, min(number) as "from", max(number) as "to", min(at) as fromAt, max(at) as toAt,
       count(*) as messages, coalesce(sum(shown), 0) as shown
     from messages where number > :coveredTo and number <= :to`,
    { coveredTo, to },
  );
  if (range.messages === 0) return undefined;
  countCovered(connection, range.to, range.messages, range.shown);
  return insertSummary(connection, range, gist, madeBy, now);
}

function mergeParts(
  connection: Connection,
  numbers: readonly number[],
  gist: Gist,
  madeBy: 'model' | 'rules',
  now: number,
): Summary | undefined {
  const shown = shownSummaries(connection);
  const start = shown.findIndex(({ number }) => number === numbers[0]);
  const parts = shown.slice(start, start + numbers.length);
  const same = start >= 0 && numbers.every((number, index) => parts[index]?.number === number);
  const [first, last] = [parts[0], parts.at(-1)];
  if (!same || first === undefined || last === undefined) return undefined;
  const whole: NewSummary = {
    level: Math.max(...parts.map(({ level }) => level)) + 1,
    from: first.from,
    to: last.to,
    fromAt: Math.min(...parts.map(({ fromAt }) => fromAt)),
    toAt: Math.max(...parts.map(({ toAt }) => toAt)),
    messages: parts.reduce((sum, { messages }) => sum + messages, 0),
  };
  const summary = insertSummary(connection, whole, gist, madeBy, now);
  for (const { number } of parts) {
    runStatement(connection, 'update summaries set parent = :parent where number = :number', {
      parent: summary.number,
      number,
    });
  }
  return summary;
}

function insertSummary(
  connection: Connection,
  range: NewSummary,
  gist: Gist,
  madeBy: 'model' | 'rules',
  now: number,
): Summary {
  const context = gist.context.toWellFormed();
  const facts = gist.facts.map((fact) => fact.toWellFormed());
  const { level, from, to, fromAt, toAt, messages } = range;
  const { seq: number } = runStatement(
    connection,
    `insert into summaries
       (level, from_number, to_number, from_at, to_at, messages, context, facts, tokens, made_by, created_at)
     values (:level, :from, :to, :fromAt, :toAt, :messages, :context, :facts, :tokens, :madeBy, :now)`,
    {
      ...{ level, from, to, fromAt, toAt, messages, context, madeBy, now },
      facts: JSON.stringify(facts),
      tokens: summaryTokens(context, facts),
    },
  );
  const written = findRow<StoredSummary>(
    connection,
    `select ${SUMMARY_COLUMNS} from summaries where number = :number`,
    { number },
  );
  if (written === undefined) throw new Error(`The summary ${number} was not written.`);
  return summaryOf(written);
}
