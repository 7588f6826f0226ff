import { z } from 'zod';
import { defineTool } from '../../tools/define.ts';
import { errorOutcome, successOutcome } from '../../tools/outcome.ts';
import type { Tool } from '../../tools/tool.ts';
import { dayText } from '../date-text.ts';
import type { KnowledgeEntry } from '../knowledge/entry.ts';
import { linksIn } from '../knowledge/links.ts';
import type { Memory } from '../memory.ts';
import { readMessage } from './message.ts';

const MOST_HITS = 50;
const MOST_LISTED = 200;
const MOST_BODY = 16_000;

/** The tools that read the memory. */
export function createSearchTools(memory: Memory): Tool[] {
  return [
    recallTool(memory),
    recallMessageTool(memory),
    knowledgeListTool(memory),
    knowledgeSearchTool(memory),
    knowledgeReadTool(memory),
  ];
}

function recallTool(memory: Memory): Tool {
  return defineTool({
    name: 'recall',
    description:
      'Searches everything that was ever said, by words. Quotes keep words together; nothing else has a meaning. Gives snippets with the numbers of their messages.',
    effect: 'memory',
    schema: z.object({
      query: z.string().min(1),
      limit: z.int().min(1).max(MOST_HITS).default(10),
      before: z.int().optional().describe('Only messages with a lower number.'),
      after: z.int().optional().describe('Only messages with a higher number.'),
    }),
    subjects: () => [],
    async run({ query, limit, before, after }, { signal, turnFrom = Number.MAX_SAFE_INTEGER }) {
      const window = { ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
      const hits = await memory.search.messages({ query, limit, ...window, turnFrom, signal });
      if (hits.length === 0)
        return successOutcome(`Nothing was found for ${query}. Try other words, or fewer.`);
      return successOutcome(
        hits.map((hit) => `#${hit.number} ${dayText(hit.at)} ${hit.kind}: ${hit.snippet}`).join('\n'),
      );
    },
  });
}

function recallMessageTool(memory: Memory): Tool {
  return defineTool({
    name: 'recall_message',
    description: 'Reads one message by its number, a part of a long one, or also those around it.',
    effect: 'memory',
    schema: z.object({
      number: z.int().min(1),
      offset: z.int().min(0).default(0).describe('The first character to read.'),
      limit: z.int().min(1).max(20_000).default(8_000).describe('How many characters to read.'),
      around: z
        .int()
        .min(0)
        .max(10)
        .default(0)
        .describe('How many messages before and after it to show in short.'),
    }),
    subjects: () => [],
    async run({ number, offset, limit, around }) {
      const text = readMessage(memory, number, { offset, limit, around });
      return text === undefined ? errorOutcome(`There is no message ${number}.`) : successOutcome(text);
    },
  });
}

function knowledgeListTool(memory: Memory): Tool {
  return defineTool({
    name: 'knowledge_list',
    description:
      'Lists entries of long-term knowledge by path: "**" is all, "project/*" what stands right under "project".',
    effect: 'memory',
    schema: z.object({ pattern: z.string().min(1).default('**') }),
    subjects: () => [],
    async run({ pattern }) {
      const found = memory.knowledge.tree().filter(({ path }) => matchesGlob(path, pattern));
      if (found.length === 0) return successOutcome(`There is no entry at ${pattern}.`);
      const lines = found
        .slice(0, MOST_LISTED)
        .map(({ path, title, version }) => `${path} (version ${version}): ${title}`);
      const more =
        found.length > MOST_LISTED ? [`… and ${found.length - MOST_LISTED} more: narrow the pattern.`] : [];
      return successOutcome([...lines, ...more].join('\n'));
    },
  });
}

function knowledgeSearchTool(memory: Memory): Tool {
  return defineTool({
    name: 'knowledge_search',
    description: 'Searches long-term knowledge by words.',
    effect: 'memory',
    schema: z.object({ query: z.string().min(1), limit: z.int().min(1).max(MOST_HITS).default(10) }),
    subjects: () => [],
    async run({ query, limit }) {
      const hits = memory.search.knowledge(query, limit);
      if (hits.length === 0) return successOutcome(`No entry has the words of ${query}.`);
      return successOutcome(
        hits
          .map(({ slug, title, version, snippet }) => `${slug} (version ${version}), ${title}: ${snippet}`)
          .join('\n'),
      );
    },
  });
}

function knowledgeReadTool(memory: Memory): Tool {
  return defineTool({
    name: 'knowledge_read',
    description: 'Reads an entry of long-term knowledge, as it is or as it was at a version.',
    effect: 'memory',
    schema: z.object({
      slug: z.string().min(1),
      version: z.int().min(1).optional(),
      offset: z.int().min(0).default(0).describe('The first character of a long body to read.'),
    }),
    subjects: () => [],
    async run({ slug, version, offset }) {
      const entry = memory.knowledge.read(slug, version);
      if (entry !== undefined) return successOutcome(entryText(entry, offset));
      const which = version === undefined ? 'entry' : `version ${version} of`;
      return errorOutcome(`There is no ${which} "${slug}".`);
    },
  });
}

function entryText(entry: KnowledgeEntry, offset: number): string {
  const from = entry.source === undefined ? '' : ` from messages ${entry.source.from} to ${entry.source.to}`;
  const under = entry.parent === undefined ? '' : `, under "${entry.parent}"`;
  const part = entry.body.slice(offset, offset + MOST_BODY).toWellFormed();
  const left = entry.body.length - offset - part.length;
  const links = linksIn(entry.body);
  return [
    `# ${entry.title}`,
    `"${entry.slug}"${under}, version ${entry.version}, ${entry.change} by ${entry.by} on ${dayText(entry.at)}${from}`,
    '',
    part,
    ...(left > 0 ? [`… ${left} more characters: read on with offset ${offset + part.length}.`] : []),
    ...(links.length === 0 ? [] : ['', `Links to: ${links.join(', ')}`]),
  ].join('\n');
}

/** Whether a path matches a pattern: `*` matches all but slashes, `**` everything, `?` one character. */
export function matchesGlob(path: string, pattern: string): boolean {
  const source = pattern.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll(/\/?\*\*\/?|\*|\?/g, (part) => {
    if (part === '?') return '[^/]';
    if (part === '*') return '[^/]*';
    // `/**/` also matches a single slash.
    if (part === '/**/') return '/(?:.*/)?';
    if (part === '**/') return '(?:.*/)?';
    return part === '/**' ? '(?:/.*)?' : '.*';
  });
  return new RegExp(`^${source}$`, 'u').test(path);
}
