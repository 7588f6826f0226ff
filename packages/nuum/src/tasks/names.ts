/** The names of the tools for tasks and alarms; loads nothing. */
export const TASK_TOOL_NAMES = [
  'background_research',
  'background_reflect',
  'set_alarm',
  'list_tasks',
  'cancel_task',
] as const;
