import { terminalText } from '@plugboard/protocol';
import { diffWordsWithSpace } from 'diff';
import type { Paint } from '../terminal/paint.ts';

/** Lines longer than this are not compared word by word. */
const LONGEST = 20_000;

/**
 * The lines of a hunk in their colours. Where as many lines came as went, each is held against its successor and the
 * words that differ stand out: in a paragraph of three hundred words, a comma is hard to find otherwise.
 */
export function paintLines(lines: readonly string[], paint: Paint): string {
  let painted = '';
  for (let at = 0; at < lines.length; ) {
    const removed = runOf(lines, at, '-');
    const added = runOf(lines, at + removed.length, '+');
    painted += paintChange(removed, added, paint);
    at += removed.length + added.length;
    if (removed.length + added.length > 0) continue;
    painted += `${terminalText(lines[at] ?? '')}\n`;
    at += 1;
  }
  return painted;
}

function paintChange(removed: readonly string[], added: readonly string[], paint: Paint): string {
  const pairs =
    removed.length === added.length ? removed.map((old, at) => pair(old, added[at] ?? '', paint)) : [];
  const before =
    pairs.length > 0 ? pairs.map(([old]) => old) : removed.map((line) => paint.removed(terminalText(line)));
  const after =
    pairs.length > 0 ? pairs.map(([, fresh]) => fresh) : added.map((line) => paint.added(terminalText(line)));
  return [...before, ...after].map((line) => `${line}\n`).join('');
}

function runOf(lines: readonly string[], from: number, sign: string): readonly string[] {
  const end = lines.findIndex((line, at) => at >= from && !line.startsWith(sign));
  return lines.slice(from, end === -1 ? lines.length : end);
}

function pair(old: string, fresh: string, paint: Paint): readonly [string, string] {
  if (old.length > LONGEST || fresh.length > LONGEST)
    return [paint.removed(terminalText(old)), paint.added(terminalText(fresh))];
  const parts = diffWordsWithSpace(old.slice(1), fresh.slice(1));
  const [went, came] = [parts.filter(({ added }) => !added), parts.filter(({ removed }) => !removed)];
  const before = went.map(({ removed, value }) =>
    (removed ? paint.removedWords : paint.removed)(terminalText(value)),
  );
  const after = came.map(({ added, value }) => (added ? paint.addedWords : paint.added)(terminalText(value)));
  return [`${paint.removed('-')}${before.join('')}`, `${paint.added('+')}${after.join('')}`];
}
