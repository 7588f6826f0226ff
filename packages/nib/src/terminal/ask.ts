import type { Env } from '../env.ts';
import { NibError } from '../failure.ts';

/** Asks for a yes, unless it was given beforehand; anything else ends the command with nothing changed. */
export async function confirm(env: Env, question: string, yes: boolean | undefined): Promise<void> {
  if (yes === true) return;
  if (!env.keyboard.isTerminal) throw new NibError(`${question} Nobody can be asked here: say --yes.`);
  env.err(`${question} [y/N] `);
  const answer = await env.keyboard.line();
  if (answer === undefined || !/^\s*(y|yes)\s*$/i.test(answer)) throw new NibError('Nothing was changed.');
}
