import type { DialectName } from '@plugboard/protocol';
import { detectEarly, detectHalf, detectLine, type Manner, type Surroundings } from '../detect.ts';
import type { InputLine } from '../input.ts';

/** Detects the dialect of the host. `replayed` yields the lines that were read for it, followed by the rest. */
export async function findManner(
  as: DialectName | undefined,
  surroundings: Surroundings,
  lines: AsyncGenerator<InputLine>,
): Promise<{ manner: Manner; replayed: AsyncGenerator<InputLine>; tooLong?: true }> {
  const early = as ?? detectEarly(surroundings);
  if (early !== undefined) return { manner: early, replayed: lines };
  const seen: InputLine[] = [];
  let begun = false;
  for (let next = await lines.next(); next.done !== true; next = await lines.next()) {
    seen.push(next.value);
    // Blank lines before a request are skipped; `trim` also removes a byte order mark.
    const { text, truncated } = next.value;
    // A request that is too long can still be refused in its dialect, if `detectHalf` recognises its beginning.
    if (truncated)
      return { manner: detectHalf(text) ?? 'broken', replayed: replay(seen, lines), tooLong: truncated };
    if (begun || text.trim() === '') continue;
    begun = true;
    const manner = detectLine(text, false);
    if (manner !== undefined) return { manner, replayed: replay(seen, lines) };
  }
  const all = seen.map(({ text }) => text).join('\n');
  return { manner: detectLine(all, true) ?? 'text', replayed: replay(seen, lines) };
}

async function* replay(
  seen: readonly InputLine[],
  rest: AsyncIterable<InputLine>,
): AsyncGenerator<InputLine> {
  yield* seen;
  yield* rest;
}
