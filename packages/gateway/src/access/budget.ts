import type { People, Spent } from '@plugboard/store';
import type { AccessPolicy } from './policy.ts';

/** Turns and cost of each person on this day. */
export interface Budget {
  /** Counts a turn of `principal`. The reason for a refusal when the day is used up; nothing is counted then. */
  take(policy: AccessPolicy, principal: string): Promise<string | undefined>;
  /** Takes a counted turn back. */
  giveBack(principal: string): Promise<void>;
  /** Adds the cost of a turn, when the agent has told it. */
  charge(principal: string, cost: { readonly amount: number; readonly currency: string }): Promise<void>;
}

/** `today` gives the date of this machine, as in 2026-03-01. */
export function createBudget(people: Pick<People, 'spend'>, today: () => string): Budget {
  return {
    async take(policy, principal) {
      if (policy.turnsPerDay === undefined && policy.costPerDay === undefined) return undefined;
      const day = today();
      const spent = await people.spend({ principal, day, turns: 1 });
      const problem = overBudget(policy, spent);
      if (problem !== undefined) await people.spend({ principal, day, turns: -1 });
      return problem;
    },
    async giveBack(principal) {
      await people.spend({ principal, day: today(), turns: -1 });
    },
    async charge(principal, cost) {
      await people.spend({ principal, day: today(), turns: 0, cost });
    },
  };
}

function overBudget({ turnsPerDay, costPerDay }: AccessPolicy, spent: Spent): string | undefined {
  if (turnsPerDay !== undefined && spent.turns > turnsPerDay)
    return `You have used up your ${turnsPerDay} ${turnsPerDay === 1 ? 'message' : 'messages'} of today. Tomorrow I answer again.`;
  if (costPerDay !== undefined && spent.amount >= costPerDay)
    return `You have used up what may be spent for you today (${costPerDay}${spent.currency === undefined ? '' : ` ${spent.currency}`}). Tomorrow I answer again.`;
  return undefined;
}

/** The date of this machine's time zone. */
export function localDate(at: Date): string {
  const part = (number: number): string => String(number).padStart(2, '0');
  return `${at.getFullYear()}-${part(at.getMonth() + 1)}-${part(at.getDate())}`;
}
