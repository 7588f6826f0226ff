import { printAnswer } from '../backend/ask.ts';
import { type AskOptions, type BackendRequest, timeoutOf } from '../backend/request.ts';
import { askForReading } from '../copy/reading.ts';
import { withCopy } from '../copy/with-copy.ts';
import type { Env } from '../env.ts';

/** Something to ask, and how that is called while it goes on. */
export interface Question {
  readonly request: BackendRequest;
  readonly doing: string;
  /** A sentence for the person before it begins. */
  readonly note?: string;
}

/** Puts questions to the backend one after the other and prints the answers; the first failure ends it. */
export async function putQuestions(
  env: Env,
  root: string,
  questions: readonly Question[],
  options: AskOptions,
): Promise<void> {
  await withCopy(env, root, { timeout: timeoutOf(options) }, async (work) => {
    for (const { request, doing, note } of questions) {
      if (note !== undefined) env.err(`${note}\n`);
      await askForReading(work, request, doing, (end) => printAnswer(env, end));
    }
  });
}
