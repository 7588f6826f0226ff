import type { Command } from 'commander';
import { withAskOptions } from '../../backend/options.ts';
import type { Env } from '../../env.ts';
import type { ProofOptions } from '../../proof/proof.ts';

/** `nib ma proof` */
export function manuscriptProof(group: Command, env: Env): void {
  const command = group
    .command('proof <range>')
    .alias('pr')
    .description('Have scenes or chapters proofread in place, and see what was changed.')
    .option('-n, --dry-run', 'work on a copy and only show what would change')
    .option('-y, --yes', 'keep whatever the backend does, also large cuts and other files');
  withAskOptions(command)
    .addHelpText('after', '\nExamples:\n  nib ma proof 3.2\n  nib ma proof 1-3 --dry-run')
    .action(async (range: string, options: ProofOptions) => {
      const { proof } = await import('../../proof/proof.ts');
      await proof(env, range, options);
    });
}
