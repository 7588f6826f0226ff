import type { Command } from 'commander';
import { withAskOptions } from '../../backend/options.ts';
import type { AskOptions } from '../../backend/request.ts';
import type { Env } from '../../env.ts';

/** `nib ct ask` */
export function continuityAsk(group: Command, env: Env): void {
  const command = group
    .command('ask <words...>')
    .alias('as')
    .description('Ask the backend a question about the story.')
    .option('-r, --range <range>', 'only about these chapters or scenes');
  withAskOptions(command)
    .addHelpText(
      'after',
      '\nExamples:\n  nib ct ask Who has the brass key?\n  nib ct ask "Who knows?" -r 1-5',
    )
    .action(async (words: readonly string[], options: AskOptions & { readonly range?: string }) => {
      const { askQuestion } = await import('../../questions/question.ts');
      await askQuestion(env, words.join(' '), options);
    });
}
