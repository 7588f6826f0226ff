import type { Command } from 'commander';
import { withAskOptions } from '../../backend/options.ts';
import type { AskOptions } from '../../backend/request.ts';
import type { Env } from '../../env.ts';

/** `nib ct check` */
export function continuityCheck(group: Command, env: Env): void {
  const command = group
    .command('check <range>')
    .alias('ck')
    .description('Have the backend look for contradictions in scenes or chapters.');
  withAskOptions(command)
    .addHelpText('after', '\nExamples:\n  nib ct check 3.2\n  nib ct check 1-5')
    .action(async (range: string, options: AskOptions) => {
      const { checkContinuity } = await import('../../questions/check.ts');
      await checkContinuity(env, range, options);
    });
}
