import type { Env } from '../env.ts';
import { NibError } from '../nib-error.ts';

/** Asks for a yes unless `--yes` was given; every other answer throws, and no file is changed. */
export async function requireConfirmation(
  env: Env,
  question: string,
  yes: boolean | undefined,
): Promise<void> {
  if (yes === true) return;
  if (!env.keyboard.isTerminal) throw new NibError(`${question} Nobody can be asked here: say --yes.`);
  if (!(await askYesNo(env, question))) throw new NibError('Nothing was changed.');
}

/** Whether the person at the terminal answers yes; the end of input counts as no. */
export async function askYesNo(env: Env, question: string, signal?: AbortSignal): Promise<boolean> {
  if (!env.keyboard.isTerminal || signal?.aborted) return false;
  env.err(`${question} [y/N] `);
  const answer = await env.keyboard.line(signal);
  if (answer === undefined) env.err('\n');
  return answer !== undefined && /^\s*(y|yes)\s*$/i.test(answer);
}
