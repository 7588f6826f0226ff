import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import type { RestoreOptions } from '../../proof/give-back.ts';

/** `nib ma restore` */
export function manuscriptRestore(group: Command, env: Env): void {
  group
    .command('restore')
    .alias('re')
    .description('Put back the scenes of a proof that was cut short, as they were before it.')
    .option('-a, --all', 'also files that were not to be proofread')
    .option('--drop', 'keep the files as they are now and delete the backup')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', '\nExamples:\n  nib ma restore\n  nib ma restore --drop')
    .action(async (options: RestoreOptions) => {
      const { giveBack } = await import('../../proof/give-back.ts');
      await giveBack(env, options);
    });
}
