/** The names of the tools in `tools.ts`. A module of its own, so that importing them does not load zod. */
export const TASK_TOOL_NAMES = [
  'background_research',
  'background_reflect',
  'set_alarm',
  'list_tasks',
  'cancel_task',
] as const;
