import type { Event } from '@plugboard/host';

/** What has ended need not be waited for. */
const OVER = new Set(['completed', 'failed', 'cancelled', 'done', 'fired']);

/** Whether an agent that says this of its tasks has something to do by itself. */
export function isUnderWay({ tasks }: Extract<Event, { type: 'tasks' }>): boolean {
  return tasks.some(({ status }) => !OVER.has(status));
}
