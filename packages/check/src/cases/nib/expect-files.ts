import { createFailure, createSkip, createVerdict, type Expectation, PASS } from '../../case.ts';
import type { Sight } from '../../observe/sight.ts';
import type { Seen } from '../scene.ts';

/** Smallest share of the words of a scene that `scene-proof` must keep. */
const KEPT_WORDS = 0.7;

/** Largest share of new words, relative to the old word count, that `scene-proof` may add. */
const NEW_WORDS = 0.3;

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Size of the multiset intersection of both lists. */
function countShared(words: readonly string[], others: readonly string[]): number {
  const left = [...others];
  return words.filter((word) => {
    const at = left.indexOf(word);
    if (at !== -1) left.splice(at, 1);
    return at !== -1;
  }).length;
}

function rewriteProblem(before: string, after: string): string | undefined {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  const shared = countShared(old, now);
  if (shared < old.length * KEPT_WORDS) return 'most words of a scene to stay as they are';
  return now.length - shared > old.length * NEW_WORDS ? 'no new prose in a scene' : undefined;
}

/** Every file in `files.before` still exists, with most of its words and little new prose. */
export const mendsScenes: Expectation<Seen> = {
  name: 'mends scenes',
  look({ last }) {
    for (const [path, before] of last.files?.before ?? []) {
      const after = last.files?.after.get(path);
      if (after === undefined) return createFailure('every file of the project to stay', `${path} is gone`);
      const problem = rewriteProblem(before, after);
      if (problem !== undefined) return createFailure(problem, `${path}: ${after}`);
    }
    return PASS;
  },
};

/** Every file in `files.before`, other than those in `allowed`, has the same text in `files.after`. */
export function keepsFiles(allowed: (sight: Sight) => readonly string[] = () => []): Expectation<Seen> {
  return {
    name: 'keeps files as they are',
    look({ last }) {
      const before = [...(last.files?.before ?? [])].filter(([path]) => !allowed(last).includes(path));
      const changed = before.find(([path, text]) => last.files?.after.get(path) !== text);
      return changed === undefined
        ? PASS
        : createFailure(`${changed[0]} to stay as it is`, last.files?.after.get(changed[0]) ?? 'it is gone');
    },
  };
}

/** Every file in `files.after` that is not in `files.before` is listed by `filesOf`. */
export function listsNewFiles(filesOf: (sight: Sight) => readonly string[] | undefined): Expectation<Seen> {
  return {
    name: 'lists new files',
    look({ last }) {
      const listed = filesOf(last);
      if (listed === undefined) return createSkip('it did not succeed');
      const known = new Set(listed.map((path) => path.replace(/^\.\//, '')));
      const created = [...(last.files?.after.keys() ?? [])].filter((path) => !last.files?.before.has(path));
      const missing = created.find((path) => !known.has(path));
      return createVerdict(missing === undefined, 'every new file in `files`', `${missing} is not listed`);
    },
  };
}
