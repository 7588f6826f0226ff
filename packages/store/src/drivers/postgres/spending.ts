import type { People, Spent } from '../../contract/people.ts';
import { requireRow, runStatement, type Transaction } from './connection.ts';

interface SpendingRow {
  readonly turns: number;
  readonly amount: number;
  readonly currency: string | null;
}

const FORGET_DAYS = `delete from spending where day < to_char(:day::date - 1, 'YYYY-MM-DD')`;

const SPEND = `
  insert into spending as kept (day, principal, turns, amount, currency)
  values (:day, :principal, :turns, :amount, :currency)
  on conflict (day, principal) do update
  set turns = kept.turns + excluded.turns,
    amount = kept.amount +
      case when kept.currency is null or kept.currency = excluded.currency then excluded.amount else 0 end,
    currency = coalesce(kept.currency, excluded.currency)
  returning turns, amount, currency`;

/** Adds to the day of a principal, inside the transaction of the caller, and gives the sum. */
export async function addSpending(
  transaction: Transaction,
  { principal, day, turns, cost }: Parameters<People['spend']>[0],
): Promise<Spent> {
  await runStatement(transaction, FORGET_DAYS, { day });
  const { currency, ...sum } = await requireRow<SpendingRow>(transaction, SPEND, {
    day,
    principal,
    turns,
    amount: cost?.amount ?? 0,
    currency: cost?.currency ?? null,
  });
  return { ...sum, currency: currency ?? undefined };
}
