import type { Case, Verdict } from './case.ts';
import { type CaseResult, resultOf } from './report.ts';

/** How cases are run. */
export interface RunOptions<Given, Seen> {
  readonly concurrency: number;
  /** Prefixes of ids; none means all cases. */
  readonly only?: readonly string[];
  /** Told of each result as it comes, which is not always in order. */
  readonly onResult?: (result: CaseResult) => void;
  /** No further case is begun once it is aborted. */
  readonly signal?: AbortSignal | undefined;
  examine(one: Case<Given, Seen>): Promise<Verdict>;
}

/** Runs the chosen cases, a few at a time; the results are in the order of the cases. */
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
