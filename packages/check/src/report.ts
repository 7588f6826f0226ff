import type { DialectName } from '@plugboard/protocol';
import type { Level, Verdict } from './case.ts';

/** What came of one case. */
export interface CaseResult {
  readonly id: string;
  readonly title: string;
  readonly level: Level;
  readonly outcome: Verdict['outcome'];
  /** What was expected and what was seen; for a skipped case, why it was. */
  readonly detail?: string;
  /** How to mend it. */
  readonly hint?: string;
  readonly durationMs: number;
}

/** What came of all cases. */
export interface Report {
  readonly dialect: DialectName;
  readonly kind: 'agent' | 'host';
  readonly command: readonly string[];
  readonly cases: readonly CaseResult[];
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** No `must` has failed, and all cases were tried. */
  readonly conforms: boolean;
  /** Why the check ended before all cases were tried. */
  readonly stopped?: string;
}

const NO_CASES = 'There is no case of the ids that were asked for.';

/** Why a check ended, if somebody ended it. */
export function interruptedBy(signal: AbortSignal | undefined): string | undefined {
  return signal?.aborted ? 'The check was interrupted.' : undefined;
}

/** Counts the results; the order of the cases is kept. `stopped` says why not all of them were tried. */
export function createReport(
  subject: Pick<Report, 'dialect' | 'kind' | 'command'>,
  cases: readonly CaseResult[],
  stopped: string | undefined = cases.length === 0 ? NO_CASES : undefined,
): Report {
  const count = (outcome: CaseResult['outcome']): number =>
    cases.filter((result) => result.outcome === outcome).length;
  return {
    ...subject,
    cases,
    passed: count('pass'),
    failed: count('fail'),
    skipped: count('skip'),
    conforms:
      stopped === undefined && !cases.some(({ outcome, level }) => outcome === 'fail' && level === 'must'),
    ...(stopped === undefined ? {} : { stopped }),
  };
}

/** The result of a case from what was found. */
export function resultOf(
  { id, title, level, hint }: Pick<CaseResult, 'id' | 'title' | 'level'> & { readonly hint: string },
  verdict: Verdict,
  durationMs: number,
): CaseResult {
  const about = { id, title, level, outcome: verdict.outcome, durationMs: Math.round(durationMs) };
  switch (verdict.outcome) {
    case 'pass':
      return about;
    case 'skip':
      return { ...about, detail: verdict.why };
    case 'fail':
      return {
        ...about,
        detail: `expected ${verdict.expected}\nseen ${verdict.seen}`,
        hint: verdict.hint ?? hint,
      };
  }
}
