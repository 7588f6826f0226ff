/** One line of a comparison. */
export interface Difference {
  readonly kind: 'same' | 'gone' | 'new';
  readonly text: string;
}

/**
 * The table of `diffMiddle` has the size of both lengths multiplied: above 1000 lines all are shown as removed and added.
 */
const LARGEST = 1000;

/** The line differences that turn `before` into `after`. */
export function diffLines(before: readonly string[], after: readonly string[]): Difference[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  const room = Math.min(before.length, after.length) - head;
  while (tail < room && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const old = before.slice(head, before.length - tail);
  const young = after.slice(head, after.length - tail);
  return [
    ...before.slice(0, head).map(same),
    ...(old.length > LARGEST || young.length > LARGEST
      ? [...old.map(gone), ...young.map(fresh)]
      : diffMiddle(old, young)),
    ...before.slice(before.length - tail).map(same),
  ];
}

const same = (text: string): Difference => ({ kind: 'same', text });
const gone = (text: string): Difference => ({ kind: 'gone', text });
const fresh = (text: string): Difference => ({ kind: 'new', text });

/** The longest common run of lines, by the table of all their prefixes from the back. */
function diffMiddle(old: readonly string[], young: readonly string[]): Difference[] {
  const width = young.length + 1;
  const length = new Uint16Array((old.length + 1) * width);
  const at = (i: number, j: number): number => length[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = young.length - 1; j >= 0; j -= 1) {
      length[i * width + j] =
        old[i] === young[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const result: Difference[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < young.length) {
    const [a, b] = [old[i], young[j]];
    if (a !== undefined && a === b) {
      result.push(same(a));
      i += 1;
      j += 1;
    } else if (a !== undefined && (b === undefined || at(i + 1, j) >= at(i, j + 1))) {
      result.push(gone(a));
      i += 1;
    } else {
      result.push(fresh(b ?? ''));
      j += 1;
    }
  }
  return result;
}
