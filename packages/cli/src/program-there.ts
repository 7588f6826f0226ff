import { foresee, withoutUndefined } from '@plugboard/process';
import { CommandFailure } from './failure.ts';

/**
 * Throws with the exit code of `run` when the program is missing: otherwise each case of the kit would fail for that
 * reason.
 */
export async function demandProgram([file = '', ...args]: readonly string[]): Promise<void> {
  const env = withoutUndefined(process.env);
  const failure = await foresee({ file, args, cwd: process.cwd(), env });
  if (failure !== undefined) throw new CommandFailure(failure.message, failure.exitCode);
}
