import type { Plan } from './event.ts';

const MARKS = { pending: '☐', running: '▸', done: '☑' } as const;

/** A plan as text, one line for each step, for readers that have no form for it. */
export function planText({ steps }: Pick<Plan, 'steps'>): string {
  return steps.map(({ text, status }) => `${MARKS[status]} ${text}`).join('\n');
}
