import type { DialectName } from '@plugboard/protocol';
import { detectEarly, detectLine, type Manner, type Surroundings } from '../detect.ts';

/** Finds out which dialect the host speaks; lines that had to be read for that are given back in front. */
export async function findManner(
  as: DialectName | undefined,
  surroundings: Surroundings,
  requestFile: string | undefined,
  lines: AsyncGenerator<string>,
): Promise<{ manner: Manner; replayed: AsyncGenerator<string> }> {
  const early = as ?? detectEarly(surroundings);
  // A request file that is gone belongs to another process, which this one was started from.
  if (early !== undefined && (early !== 'nib' || as !== undefined || requestFile !== undefined)) {
    return { manner: early, replayed: lines };
  }
  const seen: string[] = [];
  let begun = false;
  for (let next = await lines.next(); next.done !== true; next = await lines.next()) {
    seen.push(next.value);
    // Blank lines before a request are skipped; `trim` also removes a byte order mark.
    if (begun || next.value.trim() === '') continue;
    begun = true;
    const manner = detectLine(next.value, false);
    if (manner !== undefined) return { manner, replayed: replay(seen, lines) };
  }
  return { manner: detectLine(seen.join('\n'), true) ?? 'text', replayed: replay(seen, lines) };
}

async function* replay(seen: readonly string[], rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield* seen;
  yield* rest;
}
