import { diffArrays } from 'diff';

/** A passage that both sides changed differently. */
export interface Conflict {
  readonly mine: string;
  readonly theirs: string;
}

/** Two changes of one text merged; `text` has the version of `mine` in each conflict. */
export interface MergedText {
  readonly text: string;
  readonly conflicts: readonly Conflict[];
}

/** The replacement of the base's parts from `start` to `end`; for an insertion `start` equals `end`. */
interface Hunk {
  readonly start: number;
  readonly end: number;
  readonly parts: readonly string[];
}

/** `diffArrays` takes minutes on long texts without a common part. */
const TIMEOUT_MS = 3_000;

/**
 * Merges two versions of a base, paragraph by paragraph (diff3). Line ends are those of `mine`: a tool that rewrites
 * all line ends has not changed every paragraph.
 */
export function mergeText(base: string, mine: string, theirs: string): MergedText {
  const byLine = ![base, mine, theirs].every(hasBlankLines);
  const [old, own, other] = [base, mine, theirs].map((text) =>
    splitParagraphs(text.replaceAll('\r\n', '\n'), byLine),
  );
  const merged = mergeParts(old ?? [], own ?? [], other ?? []);
  if (merged === undefined) return { text: mine, conflicts: [{ mine, theirs }] };
  return mine.includes('\r\n') ? { ...merged, text: merged.text.replaceAll('\n', '\r\n') } : merged;
}

function mergeParts(
  base: readonly string[],
  mine: readonly string[],
  theirs: readonly string[],
): MergedText | undefined {
  const [own, other] = [computeHunks(base, mine), computeHunks(base, theirs)];
  if (own === undefined || other === undefined) return undefined;
  const conflicts: Conflict[] = [];
  let text = '';
  let at = 0;
  for (const group of groupHunks(own, other)) {
    const { start, end } = group;
    text += base.slice(at, start).join('');
    const [a, b] = [applyHunks(base, group, group.own), applyHunks(base, group, group.other)];
    const takesTheirs = group.own.length === 0;
    if (!takesTheirs && group.other.length > 0 && a !== b) conflicts.push({ mine: a, theirs: b });
    text += takesTheirs ? b : a;
    at = end;
  }
  return { text: text + base.slice(at).join(''), conflicts };
}

function computeHunks(base: readonly string[], changed: readonly string[]): readonly Hunk[] | undefined {
  const changes = diffArrays([...base], [...changed], { timeout: TIMEOUT_MS });
  if (changes === undefined) return undefined;
  const hunks: Hunk[] = [];
  let at = 0;
  for (const { added, removed, value } of changes) {
    const last = hunks.at(-1);
    const start = at;
    if (!added) at += value.length;
    if (!added && !removed) continue;
    // A removal and the addition beside it are one replacement.
    const joins = last !== undefined && last.end === start;
    if (joins) hunks.pop();
    hunks.push({
      start: joins ? last.start : start,
      end: at,
      parts: [...(joins ? last.parts : []), ...(added ? value : [])],
    });
  }
  return hunks;
}

/** A range of the base with the hunks of both sides in it. */
interface Group {
  readonly start: number;
  readonly end: number;
  readonly own: readonly Hunk[];
  readonly other: readonly Hunk[];
}

/**
 * Groups overlapping hunks, in the order of the base. Hunks that only touch stay separate, so that a paragraph added
 * after a changed paragraph is no conflict.
 */
function groupHunks(own: readonly Hunk[], other: readonly Hunk[]): readonly Group[] {
  const all = [...own.map((hunk) => ({ hunk, mine: true })), ...other.map((hunk) => ({ hunk, mine: false }))];
  all.sort((a, b) => a.hunk.start - b.hunk.start || a.hunk.end - b.hunk.end);
  const groups: Group[] = [];
  for (const { hunk, mine } of all) {
    const last = groups.at(-1);
    const overlaps = last !== undefined && (hunk.start < last.end || isSameInsertion(last, hunk));
    if (overlaps) groups.pop();
    groups.push({
      start: overlaps ? last.start : hunk.start,
      end: Math.max(overlaps ? last.end : 0, hunk.end),
      own: [...(overlaps ? last.own : []), ...(mine ? [hunk] : [])],
      other: [...(overlaps ? last.other : []), ...(mine ? [] : [hunk])],
    });
  }
  return groups;
}

/** Two insertions at the same position have no order that fits both sides. */
function isSameInsertion(group: Group, hunk: Hunk): boolean {
  return group.start === group.end && hunk.start === hunk.end && group.start === hunk.start;
}

/** The text of one side for the range of a group. */
function applyHunks(base: readonly string[], { start, end }: Group, hunks: readonly Hunk[]): string {
  let text = '';
  let at = start;
  for (const hunk of hunks) {
    text += base.slice(at, hunk.start).join('') + hunk.parts.join('');
    at = hunk.end;
  }
  return text + base.slice(at, end).join('');
}

/** Whether blank lines separate the paragraphs of a text; if not, each line counts as a paragraph. */
function hasBlankLines(text: string): boolean {
  return /\n[ \t]*\r?\n/.test(text);
}

/** Splits a text into paragraphs, or lines, and the white space between them; joined, the parts are the text. */
export function splitParagraphs(text: string, byLine: boolean): readonly string[] {
  return text.split(byLine ? /(\r?\n)/ : /(\r?\n[ \t]*\r?\n\s*|\s+$)/).filter((part) => part !== '');
}
