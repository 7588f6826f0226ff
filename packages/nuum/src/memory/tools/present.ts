import { z } from 'zod';
import { defineTool } from '../../tools/define.ts';
import { successOutcome } from '../../tools/outcome.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Memory, Todo } from '../memory.ts';

/** Limits in characters: these texts are part of every prompt. */
const MOST_MISSION = 2_000;
const MOST_STATUS = 1_000;
const MOST_TODOS = 50;
const MOST_TODO = 500;

const TODO = z.object({
  content: z.string().min(1).max(MOST_TODO),
  status: z.enum(['pending', 'in_progress', 'completed', 'blocked']),
  reason: z.string().max(MOST_TODO).optional().describe('Why it is blocked.'),
});

/** The tools that set mission, status and list. */
export function createPresentTools(memory: Memory): Tool[] {
  return [setMission(memory), setStatus(memory), updateTodos(memory)];
}

function setMission({ present }: Memory): Tool {
  return defineTool({
    name: 'set_mission',
    description:
      'Says what you are here for, over many turns. It stands in every prompt. An empty text clears it.',
    effect: 'memory',
    schema: z.object({ mission: z.string().max(MOST_MISSION) }),
    subjects: () => [],
    async run({ mission }) {
      present.set({ mission });
      return successOutcome(mission === '' ? 'The mission is cleared.' : `The mission is now: ${mission}`);
    },
  });
}

function setStatus({ present }: Memory): Tool {
  return defineTool({
    name: 'set_status',
    description: 'Says what you are doing right now. It stands in every prompt. An empty text clears it.',
    effect: 'memory',
    schema: z.object({ status: z.string().max(MOST_STATUS) }),
    subjects: () => [],
    async run({ status }) {
      present.set({ status });
      return successOutcome(status === '' ? 'The status is cleared.' : `The status is now: ${status}`);
    },
  });
}

function updateTodos({ present }: Memory): Tool {
  return defineTool({
    name: 'update_todos',
    description: 'Replaces your list of things to do, which stands in every prompt. Give the whole list.',
    effect: 'memory',
    schema: z.object({ todos: z.array(TODO).max(MOST_TODOS) }),
    subjects: () => [],
    async run({ todos }) {
      const list = todos.map(
        ({ reason, ...todo }): Todo => (reason === undefined ? todo : { ...todo, reason }),
      );
      present.set({ todos: list });
      const open = list.filter(({ status }) => status !== 'completed').length;
      return successOutcome(`The list has ${list.length} items, ${open} of them open.`);
    },
  });
}
