import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import type { Policy } from '../../policy/policy.ts';
import { createLinkGuard, type LinkGuard } from '../../policy/withheld-links.ts';
import { defineTool } from '../define.ts';
import { cancelledOutcome, errorOutcome, successOutcome } from '../outcome.ts';
import type { Outcome, Tool, ToolContext } from '../tool.ts';
import { sizeText } from './file-kind.ts';
import { findAll, lineAt, type Range, withLineEnds, withoutOverlap } from './occurrences.ts';
import { openRegular } from './open.ts';
import { type Place, pathSchema, pathSubject, placeOf } from './place.ts';
import { replaceFile } from './replace.ts';
import { hashOf, type Seen } from './seen.ts';
import { nearestPlace } from './similar-text.ts';
import { applyChanges, type Change, showChanges } from './text-changes.ts';
import { writeProblem } from './write.ts';

/** The limit of an edit, which holds the text several times in memory. */
const LARGEST = 16 * 1024 * 1024;
const PLACES_TOLD = 10;

const schema = z.object({
  filePath: pathSchema.describe('The file, absolute or from the working directory.'),
  oldString: z.string().describe('The text to replace, exactly as it is in the file, with its indentation.'),
  newString: z.string().describe('The text to put there.'),
  replaceAll: z.boolean().optional().describe('Replace every occurrence instead of requiring exactly one.'),
});

/** The tool `edit`. The file need not have been read: `oldString` must occur exactly once. */
export function editTool(seen: Seen, policy: Policy): Tool {
  return defineTool({
    name: 'edit',
    description:
      'Replaces a piece of text in a file. oldString must be in the file exactly once, character for character, unless replaceAll is true. Line numbers that read shows are not part of the text.',
    schema,
    effect: 'write',
    subjects: ({ filePath }, directory) => [pathSubject(filePath, directory)],
    run: (input, context) => runEdit(input, context, seen, policy),
  });
}

async function runEdit(
  input: z.output<typeof schema>,
  context: ToolContext,
  seen: Seen,
  policy: Policy,
): Promise<Outcome> {
  if (context.signal.aborted) return cancelledOutcome();
  try {
    const place = placeOf(input.filePath, context);
    return await applyEdit(
      input,
      place,
      seen,
      createLinkGuard(policy, 'edit', place.real, context.directory),
    );
  } catch (error) {
    return errorOutcome(writeProblem(input.filePath, error));
  }
}

async function applyEdit(
  input: z.output<typeof schema>,
  place: Place,
  seen: Seen,
  guard: LinkGuard,
): Promise<Outcome> {
  if (input.oldString === '') {
    return errorOutcome(
      'oldString is empty. Name the text to replace, or use write to set the whole content.',
    );
  }
  if (input.oldString === input.newString)
    return errorOutcome('oldString and newString are the same: nothing to change.');
  const { stats, bytes } = await contentOf(place, guard);
  if (seen.hasChanged(place.real, stats, bytes)) {
    return errorOutcome(`${place.path} has changed since you last read it; read it again and then edit.`);
  }
  if (!isUtf8(bytes)) return errorOutcome(`${place.path} is not valid UTF-8, and an edit would damage it.`);
  const text = bytes.toString('utf8');
  const found = findAll(text, input.oldString);
  const problem = matchProblem(found, text, input, place.path);
  if (problem !== undefined) return errorOutcome(problem);
  const changes = withoutOverlap(found).map((range): Change => {
    return { ...range, text: withLineEnds(input.newString.toWellFormed(), text, range) };
  });
  const changed = Buffer.from(applyChanges(text, changes));
  const now = await replaceFile(place.real, changed, stats);
  seen.remember(place.real, now, hashOf(changed));
  const times = changes.length === 1 ? '' : ` in ${changes.length} places`;
  return successOutcome(`Edited ${place.path}${times}.\n${showChanges(text, changes)}`);
}

async function contentOf(
  place: Place,
  guard: LinkGuard,
): Promise<{ stats: Awaited<ReturnType<typeof openRegular>>['stats']; bytes: Buffer }> {
  const { handle, stats } = await openRegular(place, guard);
  try {
    if (stats.size > LARGEST) {
      const limit = `at most ${sizeText(LARGEST)} can be edited; use a program such as sed`;
      throw new Error(`${place.path} is too big (${sizeText(stats.size)}): ${limit}.`);
    }
    return { stats, bytes: await handle.readFile() };
  } finally {
    await handle.close();
  }
}

function matchProblem(
  found: readonly Range[],
  text: string,
  { oldString, replaceAll }: z.output<typeof schema>,
  path: string,
): string | undefined {
  if (found.length === 0) return `oldString is not in ${path}. ${nearestPlace(text, oldString)}`;
  if (found.length === 1 || replaceAll === true) return undefined;
  const lines = found.slice(0, PLACES_TOLD).map(({ start }) => lineAt(text, start));
  const places = `on lines ${lines.join(', ')}${found.length > PLACES_TOLD ? ' and further on' : ''}`;
  return `oldString is in ${path} ${found.length} times, ${places}. Give more of the text around it, or set replaceAll.`;
}
