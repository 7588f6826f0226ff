import type { People, Spent } from '../../contract/people.ts';
import { storableText } from '../../storable.ts';
import { type Connection, requireRow, runStatement } from './connection.ts';

interface SpendingRow {
  readonly turns: number;
  readonly amount: number;
  readonly currency: string | null;
}

const FORGET_DAYS = "delete from spending where day < date(:day, '-1 day')";

const SPEND = `
  insert into spending (day, principal, turns, amount, currency)
  values (:day, :principal, :turns, :amount, :currency)
  on conflict (day, principal) do update
  set turns = turns + excluded.turns,
    amount = amount + iif(currency is null or currency = excluded.currency, excluded.amount, 0),
    currency = coalesce(currency, excluded.currency)
  returning turns, amount, currency`;

/** Adds to the day of a principal, inside the transaction of the caller, and gives the sum. */
export function addSpending(
  connection: Connection,
  { principal, day, turns, cost }: Parameters<People['spend']>[0],
): Spent {
  runStatement(connection, FORGET_DAYS, { day });
  const { currency, ...sum } = requireRow<SpendingRow>(connection, SPEND, {
    day,
    principal: storableText(principal),
    turns,
    amount: cost?.amount ?? 0,
    currency: cost?.currency ?? null,
  });
  return { ...sum, currency: currency ?? undefined };
}
