import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { findScene } from '../../project/find-scene.ts';
import { focusChange, focusedScene } from '../../project/focus.ts';
import { changeProject, openProject } from '../../project/project.ts';

/** `nib sc focus` and `nib sc unfocus` */
export function sceneFocus(group: Command, env: Env): void {
  group
    .command('focus [scene]')
    .alias('fo')
    .description('Put a scene into focus, or show which one is.')
    .addHelpText('after', '\nExamples:\n  nib sc focus 3.2\n  nib sc focus')
    .action(async (name: string | undefined) => {
      if (name === undefined) {
        const { ref, slug } = focusedScene(await openProject(env.cwd));
        return env.out(`${ref} ${slug}\n`);
      }
      const focused = await changeProject(env.cwd, ({ root, book }) => {
        const { chapter, slug, ref } = findScene(book, name);
        return { changes: [focusChange(root, { chapter, scene: slug })], result: `${ref}, ${slug}` };
      });
      env.err(`Scene ${focused} is in focus.\n`);
    });
  group
    .command('unfocus')
    .alias('uf')
    .description('Take the focus away.')
    .addHelpText('after', '\nExample:\n  nib sc unfocus')
    .action(async () => {
      await changeProject(env.cwd, ({ root }) => ({
        changes: [focusChange(root, undefined)],
        result: undefined,
      }));
      env.err('No scene is in focus.\n');
    });
}
