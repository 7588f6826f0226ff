import { realpathSync, statSync } from 'node:fs';
import { z } from 'zod';
import { defineTool } from '../define.ts';
import { pathSchema, pathSubject } from '../files/place.ts';
import { cancelledOutcome, errorOutcome, firstLineOf, successOutcome } from '../outcome.ts';
import type { Outcome, Tool, ToolContext } from '../tool.ts';
import type { SearchReply } from './request.ts';
import { namesHidden, namesModules, rootOf, shownPath, splitPattern } from './search-root.ts';
import type { Searcher } from './searcher.ts';

const RESULTS = 100;

const schema = z.object({
  pattern: z
    .string()
    .min(1, 'must not be empty')
    .max(1024, 'is too long')
    .refine((pattern) => !pattern.split('/').includes('..'), 'must not go up with ..; use path for that')
    .describe('Such as **/*.ts or src/**/{a,b}*. Without a slash it is meant for names in any directory.'),
  path: pathSchema.optional().describe('The directory to look in; the working directory if not given.'),
  hidden: z.boolean().optional().describe('Also find what begins with a dot.'),
});

type Input = z.output<typeof schema>;

/** The tool `glob`. */
export function globTool(searcher: Searcher, limitMs: number): Tool {
  return defineTool({
    name: 'glob',
    description:
      'Finds files whose paths fit a pattern, the most recently changed first, 100 at most. Leaves out what .gitignore names, .git and node_modules, and links.',
    schema,
    effect: 'read',
    subjects: (input, directory) => [pathSubject(startOf(input), directory)],
    run: (input, context) => runGlob(input, context, searcher, limitMs),
  });
}

function startOf({ pattern, path }: Input): string {
  return splitPattern(pattern).path ?? path ?? '.';
}

async function runGlob(
  input: Input,
  context: ToolContext,
  searcher: Searcher,
  limitMs: number,
): Promise<Outcome> {
  try {
    const root = rootOf(startOf(input), context);
    if (!statSync(root).isDirectory()) return errorOutcome(`${root} is a file; name a directory to look in.`);
    const { pattern } = splitPattern(input.pattern);
    const hidden = input.hidden ?? namesHidden(pattern);
    const modules = namesModules(pattern, root);
    const request = { kind: 'files', root, pattern, hidden, modules, limit: RESULTS, limitMs } as const;
    return toOutcome(await searcher.search(request, context.signal), context);
  } catch (error) {
    return context.signal.aborted ? cancelledOutcome() : errorOutcome(firstLineOf(error));
  }
}

function toOutcome({ files, total, stopped }: SearchReply, { directory }: ToolContext): Outcome {
  const base = realpathSync(directory);
  const notes: string[] = [];
  if (files.length < total)
    notes.push(`(The newest ${files.length} of ${total}; use a narrower pattern for others.)`);
  if (stopped) notes.push('(Not everything was looked at: the time was over. Name a smaller directory.)');
  if (total === 0) return successOutcome(['No files were found.', ...notes].join('\n'));
  return successOutcome([...files.map(({ path }) => shownPath(path, base)), ...notes].join('\n'));
}
