import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import type { ConvertOptions } from '../../manuscript/convert.ts';

/** `nib ma convert` */
export function manuscriptConvert(group: Command, env: Env): void {
  group
    .command('convert <what...>')
    .alias('co')
    .description('Change scenes, or other files of the project, to UTF-8, and see what that changes.')
    .option('--from <encoding>', 'windows-1252, mac-roman, utf-16, utf-16le or utf-16be (default: guessed)')
    .option('-y, --yes', 'do not ask')
    .addHelpText(
      'after',
      '\nExamples:\n  nib ma convert 1.1\n  nib ma convert 1-3 --from mac-roman\n  nib ma convert characters/ada.yaml',
    )
    .action(async (what: readonly string[], options: ConvertOptions) => {
      const { convertFiles } = await import('../../manuscript/convert.ts');
      await convertFiles(env, what, options);
    });
}
