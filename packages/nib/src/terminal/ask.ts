import type { Env } from '../env.ts';
import { NibError } from '../failure.ts';

/** Asks for a yes, unless it was given beforehand; anything else ends the command with nothing changed. */
export async function confirm(env: Env, question: string, yes: boolean | undefined): Promise<void> {
  if (yes === true) return;
  if (!env.keyboard.isTerminal) throw new NibError(`${question} Nobody can be asked here: say --yes.`);
  if (!(await saysYes(env, question))) throw new NibError('Nothing was changed.');
}

/** Whether somebody at the terminal says yes; the end of input, and anything else, is a no. */
export async function saysYes(env: Env, question: string, signal?: AbortSignal): Promise<boolean> {
  if (!env.keyboard.isTerminal || signal?.aborted) return false;
  env.err(`${question} [y/N] `);
  const answer = await env.keyboard.line(signal);
  if (answer === undefined) env.err('\n');
  return answer !== undefined && /^\s*(y|yes)\s*$/i.test(answer);
}
