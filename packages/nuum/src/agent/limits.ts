import { BUDGET, type Budget } from '../loop/budget.ts';

export interface Limits {
  readonly view: number;
  /** The most tokens of one question, the messages of the running turn included. */
  readonly room: number;
  readonly budget: Budget;
  readonly taskBudget: Budget;
  readonly tasksAtOnce: number;
}

export const LIMITS: Limits = {
  view: 48_000,
  room: 140_000,
  budget: BUDGET,
  taskBudget: { steps: 40, tokens: 0, ms: 15 * 60_000 },
  tasksAtOnce: 3,
};
