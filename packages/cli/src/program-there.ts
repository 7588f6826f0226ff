import { foresee, withoutUndefined } from '@plugboard/process';
import { CommandFailure } from './failure.ts';

/** Ends the command, as `run` would, when there is no such program: what is not there keeps to no protocol and breaks none. */
export async function demandProgram([file = '', ...args]: readonly string[]): Promise<void> {
  const env = withoutUndefined(process.env);
  const failure = await foresee({ file, args, cwd: process.cwd(), env });
  if (failure !== undefined) throw new CommandFailure(failure.message, failure.exitCode);
}
