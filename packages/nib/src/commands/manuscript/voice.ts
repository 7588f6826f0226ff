import type { Command } from 'commander';
import { withAskOptions } from '../../backend/options.ts';
import type { AskOptions } from '../../backend/request.ts';
import type { Env } from '../../env.ts';

/** `nib ma voice` */
export function manuscriptVoice(group: Command, env: Env): void {
  const command = group
    .command('voice <character...>')
    .alias('vo')
    .description('Check over sampled scenes whether characters keep their voice.')
    .option('--thorough', 'sample twice as many scenes');
  withAskOptions(command)
    .addHelpText('after', '\nExamples:\n  nib ma voice ada-byron\n  nib ma voice ada-byron bo --thorough')
    .action(async (slugs: readonly string[], options: AskOptions & { readonly thorough?: boolean }) => {
      const { checkVoices } = await import('../../questions/voice.ts');
      await checkVoices(env, slugs, options);
    });
}
