import { type Connection, row, rows, run, theRow } from '../../database/connection.ts';
import { transaction } from '../../database/transaction.ts';
import { type Counters, countCovered, counters } from '../agent/counters.ts';
import type { Summary } from '../memory.ts';
import {
  type StoredSummary,
  SUMMARY_COLUMNS,
  shownSummaries,
  shownTokens,
  summaryOf,
  summaryTokens,
} from './stored.ts';

/** What a summary says. */
export interface Gist {
  readonly context: string;
  readonly facts: readonly string[];
}

/** What a gist was made from: when the memory has changed since, it is of no use. */
interface Basis {
  readonly coveredTo: number;
  readonly forgettings: number;
}

/** What stands for the messages that the model no longer sees in full. */
export interface Summaries {
  /** Those that no other one stands for, oldest first. */
  shown(): readonly StoredSummary[];
  /** Of those that are shown. */
  readonly tokens: number;
  readonly counters: Counters;
  /** Lets a gist stand for the messages after the last covered one; undefined when these have changed since `basis`. */
  cover(to: number, gist: Gist, madeBy: 'model' | 'rules', basis: Basis): Summary | undefined;
  /** Lets a gist stand for summaries that follow each other; undefined when one of these is not shown any more. */
  merge(parts: readonly number[], gist: Gist, madeBy: 'model' | 'rules', basis: Basis): Summary | undefined;
  /** The latest, merged or not. */
  latest(most: number): readonly StoredSummary[];
}

type NewSummary = Pick<StoredSummary, 'level' | 'from' | 'to' | 'fromAt' | 'toAt' | 'messages'>;

/** The summaries of a database. */
export function createSummaries(connection: Connection, now: () => number): Summaries {
  return {
    shown: () => shownSummaries(connection),
    get tokens() {
      return shownTokens(connection);
    },
    get counters() {
      return counters(connection);
    },
    cover: (to, gist, madeBy, basis) =>
      transaction(connection, () => {
        const { coveredTo, forgettings } = counters(connection);
        if (coveredTo !== basis.coveredTo || forgettings !== basis.forgettings) return undefined;
        return coverUpTo(connection, coveredTo, to, gist, madeBy, now());
      }),
    merge: (parts, gist, madeBy, basis) =>
      transaction(connection, () => {
        if (counters(connection).forgettings !== basis.forgettings) return undefined;
        return mergeParts(connection, parts, gist, madeBy, now());
      }),
    latest: (most) =>
      rows<StoredSummary>(
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
  const range = theRow<NewSummary & { shown: number }>(
    connection,
    `select 0 as level, min(number) as "from", max(number) as "to", min(at) as fromAt, max(at) as toAt,
       count(*) as messages, coalesce(sum(shown), 0) as shown
     from messages where number > :coveredTo and number <= :to`,
    { coveredTo, to },
  );
  if (range.messages === 0) return undefined;
  countCovered(connection, range.to, range.messages, range.shown);
  return insert(connection, range, gist, madeBy, now);
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
  const summary = insert(connection, whole, gist, madeBy, now);
  for (const { number } of parts) {
    run(connection, 'update summaries set parent = :parent where number = :number', {
      parent: summary.number,
      number,
    });
  }
  return summary;
}

function insert(
  connection: Connection,
  range: NewSummary,
  gist: Gist,
  madeBy: 'model' | 'rules',
  now: number,
): Summary {
  const context = gist.context.toWellFormed();
  const facts = gist.facts.map((fact) => fact.toWellFormed());
  const { level, from, to, fromAt, toAt, messages } = range;
  const { key } = run(
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
  const written = row<StoredSummary>(
    connection,
    `select ${SUMMARY_COLUMNS} from summaries where number = :key`,
    { key },
  );
  if (written === undefined) throw new Error(`The summary ${key} was not written.`);
  return summaryOf(written);
}
