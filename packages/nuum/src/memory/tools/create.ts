import { z } from 'zod';
import type { Ask } from '../../model/ask.ts';
import { defineTool } from '../../tools/define.ts';
import { successOutcome } from '../../tools/outcome.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Author } from '../knowledge/entry.ts';
import type { Memory } from '../memory.ts';
import { answerFromMemory, type ReflectLimits } from '../reflect/reflect.ts';
import { createKnowledgeTools } from './knowledge.ts';
import { createPresentTools } from './present.ts';
import { createSearchTools } from './search.ts';

export interface MemoryToolOptions {
  /** The model that answers `reflect`. */
  readonly ask: Ask;
  /** The author of knowledge that the tools write. */
  readonly by: Author;
  readonly reflect?: Partial<ReflectLimits>;
}

/** The tools for the memory. */
export function createMemoryTools(memory: Memory, options: MemoryToolOptions): Tool[] {
  return [
    ...createPresentTools(memory),
    ...createSearchTools(memory),
    ...createKnowledgeTools(memory, options.by),
    reflectTool(memory, options),
  ];
}

function reflectTool(memory: Memory, options: MemoryToolOptions): Tool {
  return defineTool({
    name: 'reflect',
    description:
      'Answers a question from everything that was ever said and is known. Slower than `recall`, and more thorough.',
    effect: 'memory',
    schema: z.object({ question: z.string().min(1) }),
    subjects: () => [],
    run: async ({ question }, { signal, log, turnFrom }) => {
      const from = turnFrom === undefined ? {} : { turnFrom };
      const limits = options.reflect ?? {};
      return successOutcome(
        await answerFromMemory(question, { memory, ask: options.ask, signal, log, limits, ...from }),
      );
    },
  });
}
