import type { Command } from 'commander';
import { withEffort } from '../../backend/options.ts';
import type { Env } from '../../env.ts';
import type { TalkOptions } from '../../talk/talk.ts';

/** `nib pr talk` */
export function profileTalk(group: Command, env: Env): void {
  const command = group
    .command('talk <character> <scene>')
    .alias('ta')
    .description('Talk with a character who knows the story up to a scene and nothing after it.')
    .option('--resume', 'go on with the conversation that was begun at this scene')
    .option('--new', 'forget the conversation that was begun at this scene');
  withEffort(command)
    .addHelpText(
      'after',
      '\nExamples:\n  nib pr talk ada-byron 2.1\n  nib pr talk ada-byron 2.1 --resume\n  nib pr talk ada-byron 3',
    )
    .action(async (slug: string, scene: string, options: TalkOptions) => {
      const { talk } = await import('../../talk/talk.ts');
      await talk(env, slug, scene, options);
    });
}
