import { MEMORY_TOOL_NAMES } from '../memory/tools/names.ts';
import { TASK_TOOL_NAMES } from '../tasks/names.ts';
import { TOOL_NAMES } from '../tools/names.ts';

/** The names of all tools that need no server. A module of its own, so that importing them does not load the tools. */
export const ALL_TOOL_NAMES: readonly string[] = [...TOOL_NAMES, ...MEMORY_TOOL_NAMES, ...TASK_TOOL_NAMES];
