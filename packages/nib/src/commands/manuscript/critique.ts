import type { Command } from 'commander';
import { withEffort } from '../../backend/options.ts';
import type { AskOptions } from '../../backend/request.ts';
import type { Env } from '../../env.ts';

/** `nib ma critique` */
export function manuscriptCritique(group: Command, env: Env): void {
  const command = group
    .command('critique [range]')
    .alias('cr')
    .description('Talk scenes, chapters or the whole book over with the backend.');
  withEffort(command)
    .addHelpText(
      'after',
      '\nExamples:\n  nib ma critique 3.2\n  nib ma critique 4\n  nib ma critique           the whole book',
    )
    .action(async (range: string | undefined, options: AskOptions) => {
      const { critique } = await import('../../critique/critique.ts');
      await critique(env, range, options);
    });
}
