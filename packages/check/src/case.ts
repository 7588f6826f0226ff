/** A `must` is the protocol's own word; a `should` is what makes an agent pleasant to host. */
export type Level = 'must' | 'should';

/** What came of looking at what was seen. */
export type Verdict =
  | { readonly outcome: 'pass' }
  | {
      readonly outcome: 'fail';
      readonly expected: string;
      readonly seen: string;
      /** How to mend it, where that is more to the point than the hint of the case. */
      readonly hint?: string;
    }
  /** The rule could not be put to the test, which is nobody's fault. */
  | { readonly outcome: 'skip'; readonly why: string };

/** One named thing to look for. */
export interface Expectation<Seen> {
  readonly name: string;
  look(seen: Seen): Verdict;
}

/** One rule of a protocol: what is given, what must then be seen, and how to mend it where it is not. */
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

/** The rule is broken: `seen` is cut to an excerpt. */
export function fail(expected: string, seen: string): Extract<Verdict, { readonly outcome: 'fail' }> {
  return { outcome: 'fail', expected, seen: excerpt(seen) };
}

/** The rule does not come into play here. */
export function skip(why: string): Verdict {
  return { outcome: 'skip', why };
}

/** Fails with these words unless the condition holds. */
export function demand(holds: boolean, expected: string, seen: string): Verdict {
  return holds ? PASS : fail(expected, seen);
}

/** The first failure counts, then the first skip. */
export function judge<Seen>(expectations: readonly Expectation<Seen>[], seen: Seen): Verdict {
  const verdicts = expectations.map((expectation) => expectation.look(seen));
  return (
    verdicts.find(({ outcome }) => outcome === 'fail') ??
    verdicts.find(({ outcome }) => outcome === 'skip') ??
    PASS
  );
}

const EXCERPT_CHARS = 300;

/** Enough of a text to recognise it by, on one line, with control characters made visible. */
function excerpt(text: string): string {
  const points = [...text.slice(0, EXCERPT_CHARS * 2)];
  const cut = points.length > EXCERPT_CHARS || text.length > EXCERPT_CHARS * 2;
  const head = cut ? `${points.slice(0, EXCERPT_CHARS).join('')}…` : text;
  return head.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, escaped);
}

function escaped(char: string): string {
  if (char === '\n') return '\\n';
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
