import type { Case, Verdict } from './case.ts';
import { type CaseResult, resultOf } from './report.ts';

export interface RunOptions<Given, Seen> {
  readonly concurrency: number;
  /** Prefixes of ids; absent or empty means all cases. */
  readonly only?: readonly string[];
  /** Called at the end of each case; with `concurrency` above 1 not in the order of the cases. */
  readonly onResult?: (result: CaseResult) => void;
  /** After an abort no further case begins. */
  readonly signal?: AbortSignal | undefined;
  examine(one: Case<Given, Seen>): Promise<Verdict>;
}

/** Runs the cases that `only` selects, `concurrency` at a time. Results keep the order of `cases`. */
export async function runCases<Given, Seen>(
  cases: readonly Case<Given, Seen>[],
  options: RunOptions<Given, Seen>,
): Promise<CaseResult[]> {
  const chosen = cases.filter(({ id }) => isChosen(id, options.only));
  const results: CaseResult[] = new Array(chosen.length);
  const waiting = chosen.entries();
  const work = async (): Promise<void> => {
    for (const [at, one] of waiting) {
      if (options.signal?.aborted === true) return;
      const started = performance.now();
      const result = resultOf(one, await options.examine(one), performance.now() - started);
      results[at] = result;
      options.onResult?.(result);
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, work));
  return results.filter((result) => result !== undefined);
}

function isChosen(id: string, only: readonly string[] | undefined): boolean {
  return only === undefined || only.length === 0 || only.some((prefix) => id.startsWith(prefix));
}
