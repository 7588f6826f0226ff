import type { Command } from 'commander';
import type { Env } from '../../env.ts';

/** `nib ma undo` */
export function manuscriptUndo(group: Command, env: Env): void {
  group
    .command('undo [id]')
    .alias('un')
    .description(
      'Take back the last proof, or a run or part of it by its id; what you wrote since then stays.',
    )
    .addHelpText('after', '\nExamples:\n  nib ma undo\n  nib ma undo 7\n  nib ma undo 7/2')
    .action(async (id: string | undefined) => {
      const { undoRun } = await import('../../history/undo.ts');
      await undoRun(env, id);
    });
}
