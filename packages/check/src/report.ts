import type { DialectName } from '@plugboard/protocol';
import type { Level, Verdict } from './case.ts';

export interface CaseResult {
  readonly id: string;
  readonly title: string;
  readonly level: Level;
  readonly outcome: Verdict['outcome'];
  /** `expected` and `seen` of a failed case, or `why` of a skipped one. */
  readonly detail?: string;
  /** Advice for the author of the agent; only with outcome `fail`. */
  readonly hint?: string;
  readonly durationMs: number;
}

export interface Report {
  readonly dialect: DialectName;
  readonly kind: 'agent' | 'host';
  readonly command: readonly string[];
  readonly cases: readonly CaseResult[];
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** No `must` case failed, and `stopped` is absent. */
  readonly conforms: boolean;
  /** Why the check ended before all cases were tried. */
  readonly stopped?: string;
}

const NO_CASES = 'There is no case of the ids that were asked for.';

/** Reason for `Report.stopped` after an abort by the caller. */
export function interruptedBy(signal: AbortSignal | undefined): string | undefined {
  return signal?.aborted ? 'The check was interrupted.' : undefined;
}

/** Counts the outcomes of `cases`. Without cases `stopped` is set: the ids in `only` match none. */
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
