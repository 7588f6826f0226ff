import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { printJson } from '../../output.ts';
import { characterSlugs, requireCharacter } from '../../project/character.ts';
import { openProject } from '../../project/project.ts';

/** `nib pr list` */
export function profileList(group: Command, env: Env): void {
  group
    .command('list')
    .alias('ls')
    .description('List the characters with a profile: slug, tab, name.')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  nib pr list\n  nib pr list --json --pretty')
    .action(async ({ json }: { json?: boolean }, command: Command) => {
      const { root } = await openProject(env.cwd);
      const characters = characterSlugs(root).map((slug) => requireCharacter(root, slug));
      if (json === true) {
        return printJson(
          env,
          command,
          characters.map(({ slug, name, path }) => ({ slug, name, path })),
        );
      }
      for (const { slug, name } of characters) env.out(`${slug}\t${name}\n`);
    });
}
