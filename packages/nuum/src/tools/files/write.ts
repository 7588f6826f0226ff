import { z } from 'zod';
import type { Policy } from '../../policy/policy.ts';
import { createLinkGuard, type LinkGuard } from '../../policy/withheld-links.ts';
import { defineTool } from '../define.ts';
import { cancelledOutcome, codeOf, errorOutcome, firstLineOf, successOutcome } from '../outcome.ts';
import type { Outcome, Tool, ToolContext } from '../tool.ts';
import { openRegular, refuseSpecial, refuseWithheld } from './open.ts';
import { type Place, pathSchema, pathSubject, placeOf } from './place.ts';
import { replaceFile, statIfThere } from './replace.ts';
import { hashOf, type Seen } from './seen.ts';

/** A larger file is not read for comparison, and counts as changed. */
const LARGEST_COMPARED = 32 * 1024 * 1024;

const NO_FILE = { dev: 0, ino: 0, nlink: 0 };

const schema = z.object({
  filePath: pathSchema.describe('The file, absolute or from the working directory.'),
  content: z.string().describe('All of the text it is to hold.'),
});

/** The tool `write`. */
export function writeTool(seen: Seen, policy: Policy): Tool {
  return defineTool({
    name: 'write',
    description:
      'Creates a file with its directories, or replaces the whole content of one that you have read. To change a part of a file, use edit.',
    schema,
    effect: 'write',
    subjects: ({ filePath }, directory) => [pathSubject(filePath, directory)],
    run: (input, context) => runWrite(input, context, seen, policy),
  });
}

async function runWrite(
  input: z.output<typeof schema>,
  context: ToolContext,
  seen: Seen,
  policy: Policy,
): Promise<Outcome> {
  if (context.signal.aborted) return cancelledOutcome();
  try {
    const place = placeOf(input.filePath, context);
    const before = await statIfThere(place.real);
    const guard = createLinkGuard(policy, 'write', place.real, context.directory);
    refuseWithheld(place.real, before ?? NO_FILE, guard);
    if (before !== undefined) {
      refuseSpecial(place.path, before);
      if (seen.knows(place.real)) await refuseChanged(place, seen, guard);
      else if (before.size > 0) throw new Error(unreadProblem(place.path));
    }
    const bytes = Buffer.from(input.content.toWellFormed());
    const stats = await replaceFile(place.real, bytes, before);
    seen.remember(place.real, stats, hashOf(bytes));
    return successOutcome(
      `${before === undefined ? 'Created' : 'Overwrote'} ${place.path} (${countLines(input.content)}).`,
    );
  } catch (error) {
    return errorOutcome(writeProblem(input.filePath, error));
  }
}

/** The error for an existing file that the model has not read: it cannot know the content that would be lost. */
function unreadProblem(path: string): string {
  return `${path} exists and you have not read it; read it before you overwrite it, or change a part of it with edit.`;
}

async function refuseChanged(place: Place, seen: Seen, guard: LinkGuard): Promise<void> {
  const { handle, stats } = await openRegular(place, guard);
  try {
    const bytes = stats.size > LARGEST_COMPARED ? new Uint8Array() : await handle.readFile();
    if (!seen.hasChanged(place.real, stats, bytes)) return;
  } finally {
    await handle.close();
  }
  throw new Error(`${place.path} has changed since you last read it; read it again before you overwrite it.`);
}

/** Why a file could not be written, for the model. */
export function writeProblem(path: string, error: unknown): string {
  const code = codeOf(error);
  if (code === 'EACCES' || code === 'EPERM') return `${path} may not be written by this user.`;
  if (code === 'ENOTDIR' || code === 'EEXIST')
    return `A part of the path ${path} is a file, not a directory.`;
  if (code === 'ENOSPC' || code === 'EDQUOT') return `The disk is full; ${path} is unchanged.`;
  if (code === 'EROFS') return `${path} is on a file system that cannot be written.`;
  if (code === 'ENAMETOOLONG') return `The name ${path.slice(0, 200)}… is too long.`;
  return firstLineOf(error);
}

function countLines(text: string): string {
  const lines = text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  return `${lines} ${lines === 1 ? 'line' : 'lines'}`;
}
