import { z } from 'zod';
import { MemoryError } from '../../database/error.ts';
import { defineTool } from '../../tools/define.ts';
import { errorOutcome, successOutcome } from '../../tools/outcome.ts';
import type { Outcome, Subject, Tool } from '../../tools/tool.ts';
import type { Author, KnowledgeMove } from '../knowledge/entry.ts';
import { isStanding } from '../knowledge/standing.ts';
import type { Memory } from '../memory.ts';

const EXPECTED = z.int().min(1).describe('The version that you have read.');

/** The tools that change knowledge, with `by` as the author. */
export function createKnowledgeTools(memory: Memory, by: Author): Tool[] {
  return [knowledgeWrite(memory, by), knowledgeMove(memory, by), knowledgeArchive(memory, by)];
}

function knowledgeWrite({ knowledge }: Memory, by: Author): Tool {
  return defineTool({
    name: 'knowledge_write',
    description:
      'Creates an entry of long-term knowledge, or replaces its title and body. To replace, read it first and give its version. Refer to other entries as [[slug]]. Entries "identity" and "behaviour" stand in every prompt: the user is asked before you change them.',
    effect: 'memory',
    schema: z.object({
      slug: z.string().min(1).describe('Its name: small letters, digits and hyphens.'),
      parent: z
        .string()
        .nullable()
        .optional()
        .describe('The slug of the entry to put it under; null for the top.'),
      title: z.string().min(1).max(200),
      body: z.string(),
      expected_version: EXPECTED.optional().describe(
        'The version that you have read; leave out for a new entry.',
      ),
    }),
    subjects: ({ slug }) => standingSubjects(slug),
    run: async ({ slug, parent, title, body, expected_version }) =>
      runChange(() => {
        const place = parent === undefined ? {} : { parent };
        const entry = knowledge.write({ slug, title, body, ...place, expected: expected_version ?? 0, by });
        return `"${slug}" is ${entry.change}, now at version ${entry.version}.`;
      }),
  });
}

function knowledgeMove({ knowledge }: Memory, by: Author): Tool {
  return defineTool({
    name: 'knowledge_move',
    description: 'Renames an entry, or puts it with all that stands under it elsewhere in the tree.',
    effect: 'memory',
    schema: z.object({
      slug: z.string().min(1),
      new_slug: z.string().min(1).optional(),
      parent: z
        .string()
        .nullable()
        .optional()
        .describe('The slug of the entry to put it under; null for the top.'),
      expected_version: EXPECTED,
    }),
    subjects: ({ slug, new_slug }) => standingSubjects(slug, new_slug),
    run: async ({ slug, new_slug, parent, expected_version }) =>
      runChange(() => {
        const target: KnowledgeMove = {
          ...{ slug, expected: expected_version, by },
          ...(new_slug !== undefined && { to: new_slug }),
          ...(parent !== undefined && { parent }),
        };
        const entry = knowledge.move(target);
        const linking = entry.slug === slug ? [] : knowledge.linkingTo(slug);
        const still = linking.length === 0 ? '' : ` These still link to "${slug}": ${linking.join(', ')}.`;
        return `"${entry.slug}" is moved, now at version ${entry.version}.${still}`;
      }),
  });
}

function knowledgeArchive({ knowledge }: Memory, by: Author): Tool {
  return defineTool({
    name: 'knowledge_archive',
    description: 'Lays an entry aside that is no longer true. Its versions can still be read.',
    effect: 'memory',
    schema: z.object({
      slug: z.string().min(1),
      expected_version: EXPECTED,
      with_children: z.boolean().default(false).describe('Also all that stands under it.'),
    }),
    subjects: ({ slug }) => standingSubjects(slug),
    run: async ({ slug, expected_version, with_children }) =>
      runChange(() => {
        const gone = knowledge.archive({ slug, expected: expected_version, by, withChildren: with_children });
        return `Archived: ${gone.join(', ')}.`;
      }),
  });
}

/** The `Subject` of each standing entry that a call changes, for the policy. */
function standingSubjects(...slugs: readonly (string | undefined)[]): Subject[] {
  return slugs.flatMap((slug) =>
    slug !== undefined && isStanding(slug) ? [{ kind: 'entry', value: slug }] : [],
  );
}

/** Errors of the memory become results that the model can correct. */
function runChange(work: () => string): Outcome {
  try {
    return successOutcome(work());
  } catch (error) {
    if (error instanceof MemoryError) return errorOutcome(error.message);
    throw error;
  }
}
