import { realpathSync } from 'node:fs';
import { z } from 'zod';
import type { Policy } from '../../policy/policy.ts';
import { defineTool } from '../define.ts';
import { pathSchema, pathSubject } from '../files/place.ts';
import { cancelledOutcome, errorOutcome, firstLineOf, successOutcome } from '../outcome.ts';
import type { Outcome, Tool, ToolContext } from '../tool.ts';
import type { FoundFile, Hit, LineSearch, SearchReply } from './request.ts';
import { namesHidden, namesModules, rootOf, shownPath } from './search-root.ts';
import type { Searcher } from './searcher.ts';

const RESULTS = 100;
/** The most characters of one result: 100 long lines would fill the prompt. */
const SIZE = 50_000;

const schema = z.object({
  pattern: z
    .string()
    .min(1, 'must not be empty')
    .max(4096, 'is too long')
    .describe('A regular expression of JavaScript, held against each line.'),
  path: pathSchema
    .optional()
    .describe('The directory or file to look in; the working directory if not given.'),
  include: z
    .string()
    .min(1)
    .max(1024)
    .optional()
    .describe('Only files that fit this, such as *.ts or src/**/*.{js,ts}.'),
  ignoreCase: z.boolean().optional().describe('Take capital and small letters as the same.'),
  context: z.int().min(0).max(10).optional().describe('Lines to show before and after each hit.'),
  hidden: z.boolean().optional().describe('Also look into what begins with a dot.'),
});

type Input = z.output<typeof schema>;

export interface GrepOptions {
  readonly searcher: Searcher;
  readonly policy: Policy;
  readonly limitMs: number;
}

/** The tool `grep`. */
export function grepTool(options: GrepOptions): Tool {
  return defineTool({
    name: 'grep',
    description:
      'Finds lines that a regular expression fits, in the most recently changed files first, 100 at most. Leaves out what .gitignore names, .git and node_modules, links, and files that are not text.',
    schema,
    effect: 'read',
    subjects: ({ path }, directory) => [pathSubject(path ?? '.', directory)],
    run: (input, context) => runGrep(input, context, options),
  });
}

async function runGrep(input: Input, context: ToolContext, options: GrepOptions): Promise<Outcome> {
  try {
    const request = requestFor(input, context, options);
    return toOutcome(await options.searcher.search(request, context.signal), request, context);
  } catch (error) {
    return context.signal.aborted ? cancelledOutcome() : errorOutcome(firstLineOf(error));
  }
}

function requestFor(input: Input, context: ToolContext, { policy, limitMs }: GrepOptions): LineSearch {
  const root = rootOf(input.path, context);
  // Other languages set flags at the beginning of the expression.
  const expression = input.pattern.replace(/^\(\?i\)/, '');
  const isLoose = input.ignoreCase === true || expression !== input.pattern;
  const flags = isLoose ? 'i' : '';
  // Throws for an invalid expression before a thread is started.
  new RegExp(expression, flags);
  const include = input.include ?? '';
  return {
    kind: 'lines',
    root,
    expression,
    flags,
    ...(input.include === undefined ? {} : { include }),
    context: input.context ?? 0,
    hidden: input.hidden ?? namesHidden(include),
    modules: namesModules(include, root),
    limit: RESULTS,
    limitMs,
    policy,
    directory: context.directory,
  };
}

function toOutcome(reply: SearchReply, { context: around }: LineSearch, { directory }: ToolContext): Outcome {
  const base = realpathSync(directory);
  const { lines, hits } = listHits(reply.files, base, around);
  const notes = notesOn(reply, hits);
  if (reply.total === 0) return successOutcome(['Nothing was found.', ...notes].join('\n'));
  return successOutcome([...lines, ...(notes.length > 0 ? ['', ...notes] : [])].join('\n'));
}

function listHits(
  files: readonly FoundFile[],
  base: string,
  around: number,
): { lines: string[]; hits: number } {
  const lines: string[] = [];
  let size = 0;
  let hits = 0;
  for (const file of files) {
    const path = shownPath(file.path, base);
    for (const hit of file.hits) {
      const shown = hitLines(path, hit, around);
      size += shown.join('\n').length;
      if (size > SIZE && hits > 0) return { lines, hits };
      lines.push(...shown);
      hits += 1;
    }
  }
  return { lines, hits };
}

function hitLines(path: string, { line, text, before, after }: Hit, around: number): string[] {
  if (around === 0) return [`${path}:${line}: ${text}`];
  return [
    ...before.map((other, index) => `${path}-${line - before.length + index}- ${other}`),
    `${path}:${line}: ${text}`,
    ...after.map((other, index) => `${path}-${line + 1 + index}- ${other}`),
    '--',
  ];
}

function notesOn({ total, stopped, hidden }: SearchReply, shown: number): string[] {
  const notes: string[] = [];
  if (shown < total)
    notes.push(`(${shown} of ${total} lines, from the newest files; use a narrower pattern for others.)`);
  if (stopped) notes.push('(Not everything was looked at: the time was over. Name a smaller directory.)');
  if (hidden > 0) notes.push(`(${hidden} files were not looked into: the policy keeps them closed.)`);
  return notes;
}
