import { terminalText } from '@plugboard/protocol';
import { diffWordsWithSpace } from 'diff';
import type { Colours } from '../terminal/colours.ts';

/** Longer lines are not compared word by word. */
const LONGEST = 20_000;

/**
 * Colours the lines of a hunk. If it removes and adds the same number of lines, they are compared in pairs and
 * differing words are emphasized: a changed comma is hard to find in a paragraph of 300 words.
 */
export function colourLines(lines: readonly string[], colours: Colours): string {
  let painted = '';
  for (let at = 0; at < lines.length; ) {
    const removed = takeRun(lines, at, '-');
    const added = takeRun(lines, at + removed.length, '+');
    painted += colourChange(removed, added, colours);
    at += removed.length + added.length;
    if (removed.length + added.length > 0) continue;
    painted += `${terminalText(lines[at] ?? '')}\n`;
    at += 1;
  }
  return painted;
}

function colourChange(removed: readonly string[], added: readonly string[], colours: Colours): string {
  const pairs =
    removed.length === added.length
      ? removed.map((old, at) => colourPair(old, added[at] ?? '', colours))
      : [];
  const before =
    pairs.length > 0 ? pairs.map(([old]) => old) : removed.map((line) => colours.removed(terminalText(line)));
  const after =
    pairs.length > 0
      ? pairs.map(([, fresh]) => fresh)
      : added.map((line) => colours.added(terminalText(line)));
  return [...before, ...after].map((line) => `${line}\n`).join('');
}

function takeRun(lines: readonly string[], from: number, sign: string): readonly string[] {
  const end = lines.findIndex((line, at) => at >= from && !line.startsWith(sign));
  return lines.slice(from, end === -1 ? lines.length : end);
}

function colourPair(old: string, fresh: string, colours: Colours): readonly [string, string] {
  if (old.length > LONGEST || fresh.length > LONGEST)
    return [colours.removed(terminalText(old)), colours.added(terminalText(fresh))];
  const parts = diffWordsWithSpace(old.slice(1), fresh.slice(1));
  const [went, came] = [parts.filter(({ added }) => !added), parts.filter(({ removed }) => !removed)];
  const before = went.map(({ removed, value }) =>
    (removed ? colours.removedWords : colours.removed)(terminalText(value)),
  );
  const after = came.map(({ added, value }) =>
    (added ? colours.addedWords : colours.added)(terminalText(value)),
  );
  return [`${colours.removed('-')}${before.join('')}`, `${colours.added('+')}${after.join('')}`];
}
