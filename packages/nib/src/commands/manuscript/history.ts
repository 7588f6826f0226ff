import type { Command } from 'commander';
import type { Env } from '../../env.ts';

/** `nib ma history` */
export function manuscriptHistory(group: Command, env: Env): void {
  group
    .command('history [id]')
    .alias('hi')
    .description(
      'List what proofs have changed, or show what one of them changed; nib ma undo takes it back.',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  nib ma history\n  nib ma history 7/2')
    .action(async (id: string | undefined, { json }: { json?: boolean }, command: Command) => {
      const { showHistory } = await import('../../history/report.ts');
      await showHistory(env, command, id, json === true);
    });
}
