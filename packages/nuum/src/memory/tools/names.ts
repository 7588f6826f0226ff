/** The names of the tools for the memory, in the order they are offered; loads nothing. */
export const MEMORY_TOOL_NAMES = [
  'set_mission',
  'set_status',
  'update_todos',
  'recall',
  'recall_message',
  'knowledge_list',
  'knowledge_search',
  'knowledge_read',
  'knowledge_write',
  'knowledge_move',
  'knowledge_archive',
  'reflect',
] as const;
