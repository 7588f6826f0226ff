/**
 * The names of the memory tools, in the order of `createMemoryTools`. A module of its own, so that importing them does
 * not load zod.
 */
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
