/** `must` is a rule of the protocol; `should` is a recommendation that makes an agent easier to host. */
export type Level = 'must' | 'should';

/** Result of one `Expectation.look`. */
export type Verdict =
  | { readonly outcome: 'pass' }
  | {
      readonly outcome: 'fail';
      readonly expected: string;
      readonly seen: string;
      /** Replaces `hint` of the case if it is more precise. */
      readonly hint?: string;
    }
  /** The precondition of the rule did not occur, so neither `pass` nor `createFailure` is known. */
  | { readonly outcome: 'skip'; readonly why: string };

export interface Expectation<Seen> {
  readonly name: string;
  look(seen: Seen): Verdict;
}

/** One rule of a protocol: the input (`given`), the checks (`expect`), and a `hint` for the author if one fails. */
export interface Case<Given, Seen> {
  /** `dialect/name`, stable from release to release. */
  readonly id: string;
  readonly title: string;
  readonly level: Level;
  readonly hint: string;
  readonly given: Given;
  readonly expect: readonly Expectation<Seen>[];
}

export const PASS: Verdict = { outcome: 'pass' };

/** A broken rule; `seen` is cut to `EXCERPT_CHARS`. */
export function createFailure(
  expected: string,
  seen: string,
): Extract<Verdict, { readonly outcome: 'fail' }> {
  return { outcome: 'fail', expected, seen: shortenText(seen) };
}

export function createSkip(why: string): Verdict {
  return { outcome: 'skip', why };
}

/** `PASS` if `holds`, otherwise `fail(expected, seen)`. */
export function createVerdict(holds: boolean, expected: string, seen: string): Verdict {
  return holds ? PASS : createFailure(expected, seen);
}

/** The first `createFailure` wins, then the first `createSkip`, so that a later `pass` hides neither. */
export function combineVerdicts<Seen>(expectations: readonly Expectation<Seen>[], seen: Seen): Verdict {
  const verdicts = expectations.map((expectation) => expectation.look(seen));
  return (
    verdicts.find(({ outcome }) => outcome === 'fail') ??
    verdicts.find(({ outcome }) => outcome === 'skip') ??
    PASS
  );
}

const EXCERPT_CHARS = 300;

/** At most `EXCERPT_CHARS` code points of `text` on one line, with control characters escaped. */
function shortenText(text: string): string {
  const points = [...text.slice(0, EXCERPT_CHARS * 2)];
  const cut = points.length > EXCERPT_CHARS || text.length > EXCERPT_CHARS * 2;
  const head = cut ? `${points.slice(0, EXCERPT_CHARS).join('')}…` : text;
  return head.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, escapeCharacter);
}

function escapeCharacter(char: string): string {
  if (char === '\n') return '\\n';
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
