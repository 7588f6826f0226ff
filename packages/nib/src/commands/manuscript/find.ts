import type { Command } from 'commander';
import { withAskOptions } from '../../backend/options.ts';
import type { AskOptions } from '../../backend/request.ts';
import type { Env } from '../../env.ts';

/** `nib ma find` */
export function manuscriptFind(group: Command, env: Env): void {
  const command = group
    .command('find <words...>')
    .alias('fi')
    .description('Have the backend look for something in the prose that no exact text would find.')
    .option('-r, --range <range>', 'only in these chapters or scenes');
  withAskOptions(command)
    .addHelpText('after', '\nExamples:\n  nib ma find scenes where somebody lies to Nell')
    .action(async (words: readonly string[], options: AskOptions & { readonly range?: string }) => {
      const { find } = await import('../../questions/find.ts');
      await find(env, words.join(' '), options);
    });
}
