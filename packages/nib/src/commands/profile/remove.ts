import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { requireCharacter } from '../../project/character.ts';
import { changeProject, openProject } from '../../project/project.ts';
import { trashPath } from '../../project/trash.ts';
import { confirm } from '../../terminal/ask.ts';

/** `nib pr remove` */
export function profileRemove(group: Command, env: Env): void {
  group
    .command('remove <slug>')
    .alias('rm')
    .description('Remove a profile; its file is kept in .nib/trash, and the index stays as it is.')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', '\nExample:\n  nib pr remove ada-byron')
    .action(async (slug: string, { yes }: { yes?: boolean }) => {
      const { path } = requireCharacter((await openProject(env.cwd)).root, slug);
      await confirm(env, `Remove ${path}?`, yes);
      const kept = await changeProject(env.cwd, ({ root }) => {
        requireCharacter(root, slug);
        const to = trashPath(root, path, env.now());
        return { changes: [{ move: path, to }], result: to };
      });
      env.err(`${path} is kept as ${kept}.\n`);
    });
}
