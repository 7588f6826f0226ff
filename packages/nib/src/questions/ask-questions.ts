import { printAnswer } from '../backend/ask-backend.ts';
import { type AskOptions, type BackendRequest, parseTimeout } from '../backend/request.ts';
import { askReadOnly } from '../copy/read-only-request.ts';
import { withCopy } from '../copy/with-copy.ts';
import type { Env } from '../env.ts';

/** A request, with the text of its progress line. */
export interface Question {
  readonly request: BackendRequest;
  readonly doing: string;
  /** A sentence for the person before the request. */
  readonly note?: string;
}

/** Sends requests to the backend one by one and prints the answers; the first failure ends the loop. */
export async function askQuestions(
  env: Env,
  root: string,
  questions: readonly Question[],
  options: AskOptions,
): Promise<void> {
  await withCopy(env, root, { timeout: parseTimeout(options) }, async (work) => {
    for (const { request, doing, note } of questions) {
      if (note !== undefined) env.err(`${note}\n`);
      await askReadOnly(work, request, doing, (end) => printAnswer(env, end));
    }
  });
}
