import { MEMORY_TOOL_NAMES } from '../memory/tools/names.ts';
import { TASK_TOOL_NAMES } from '../tasks/names.ts';
import { TOOL_NAMES } from '../tools/names.ts';

/** Every tool that the agent brings itself; loads none of them. */
export const ALL_TOOL_NAMES: readonly string[] = [...TOOL_NAMES, ...MEMORY_TOOL_NAMES, ...TASK_TOOL_NAMES];
