import { z } from 'zod';
import type { Policy } from '../../policy/policy.ts';
import { createLinkGuard } from '../../policy/withheld-links.ts';
import { defineTool } from '../define.ts';
import { cancelledOutcome, errorOutcome, firstLineOf, successOutcome } from '../outcome.ts';
import type { Outcome, Tool, ToolContext } from '../tool.ts';
import { binaryKind, sizeText } from './file-kind.ts';
import { readWindow, type Window } from './line-window.ts';
import { type Opened, openRegular } from './open.ts';
import { pathSchema, pathSubject, placeOf } from './place.ts';
import type { Seen } from './seen.ts';

const LINES = 2000;
const WIDTH = 2000;
const SIZE = 50 * 1024;

const schema = z.object({
  filePath: pathSchema.describe('The file, absolute or from the working directory.'),
  offset: z.int().min(0).optional().describe('How many lines to leave out at the beginning; 0 if not given.'),
  limit: z
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .describe(`How many lines to show at most; ${LINES} if not given.`),
});

/** The tool `read`. */
export function readTool(seen: Seen, policy: Policy): Tool {
  return defineTool({
    name: 'read',
    description:
      'Shows a text file, with a number before each line. Shows at most 2000 lines and 50 KB at a time; long lines are cut. The last line of the answer says how to go on.',
    schema,
    effect: 'read',
    subjects: ({ filePath }, directory) => [pathSubject(filePath, directory)],
    run: (input, context) => runRead(input, context, seen, policy),
  });
}

async function runRead(
  input: z.output<typeof schema>,
  context: ToolContext,
  seen: Seen,
  policy: Policy,
): Promise<Outcome> {
  try {
    context.signal.throwIfAborted();
    const place = placeOf(input.filePath, context);
    const guard = createLinkGuard(policy, 'read', place.real, context.directory);
    const opened = await openRegular(place, guard);
    try {
      return await readLines(place, opened, input, context, seen);
    } finally {
      await opened.handle.close();
    }
  } catch (error) {
    return context.signal.aborted ? cancelledOutcome() : errorOutcome(firstLineOf(error));
  }
}

async function readLines(
  { path, real }: { readonly path: string; readonly real: string },
  { handle, stats }: Opened,
  { offset: skip = 0, limit: lines = LINES }: z.output<typeof schema>,
  { signal }: ToolContext,
  seen: Seen,
): Promise<Outcome> {
  const head = await handle.read(Buffer.alloc(8192), 0, 8192, 0);
  const kind = binaryKind(head.buffer.subarray(0, head.bytesRead));
  if (kind !== undefined)
    return errorOutcome(`${path} is ${kind} (${sizeText(stats.size)}), not text${hintFor(kind)}.`);
  const window = await readWindow(handle, { skip, lines, width: WIDTH, size: SIZE, signal });
  seen.remember(real, stats, window.hash);
  if (window.counted === 0 && !window.more) return successOutcome(`(${path} is empty.)`);
  if (window.lines.length === 0) {
    return errorOutcome(`${path} has only ${window.counted} lines; an offset of ${skip} is past its end.`);
  }
  return successOutcome(`${numberLines(window.lines, skip)}\n\n${footerOf(window, skip)}`);
}

function hintFor(kind: string): string {
  if (kind === 'UTF-16 text') return ' in UTF-8; convert it with iconv first';
  return / image$/.test(kind) ? '; pictures cannot be shown here' : '';
}

function numberLines(lines: readonly string[], skip: number): string {
  return lines.map((line, index) => `${String(skip + index + 1).padStart(6)}\t${line}`).join('\n');
}

function footerOf({ lines, more, counted }: Window, skip: number): string {
  const last = skip + lines.length;
  if (more) return `(Lines ${skip + 1} to ${last}; the file goes on. Read on with offset ${last}.)`;
  return `(End of the file, which has ${counted} ${counted === 1 ? 'line' : 'lines'}.)`;
}
