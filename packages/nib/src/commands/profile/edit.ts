import { join } from 'node:path';
import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { requireCharacter } from '../../project/character.ts';
import { openProject } from '../../project/project.ts';
import { editFile } from '../../terminal/editor.ts';

/** `nib pr edit` */
export function profileEdit(group: Command, env: Env): void {
  group
    .command('edit <slug>')
    .alias('ed')
    .description('Open a profile in NIB_EDITOR, VISUAL or EDITOR.')
    .addHelpText('after', '\nExample:\n  nib pr edit ada-byron')
    .action(async (slug: string) => {
      const { root } = await openProject(env.cwd);
      await editFile(env, root, join(root, requireCharacter(root, slug).path));
    });
}
