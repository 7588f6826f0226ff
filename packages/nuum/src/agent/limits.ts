import { BUDGET, type Budget } from '../loop/budget.ts';

/** How much of everything a turn may take. */
export interface Limits {
  /** What the model is shown of the past, in tokens. */
  readonly view: number;
  /** The most that one question may hold, the work of the running turn included. */
  readonly room: number;
  readonly budget: Budget;
  /** Of a background task. */
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
