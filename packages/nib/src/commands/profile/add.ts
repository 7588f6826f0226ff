import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { NibError } from '../../failure.ts';
import { characterPath } from '../../project/character.ts';
import { changeProject } from '../../project/project.ts';
import { isStrictSlug, slugify } from '../../project/slug.ts';
import { profileTemplate } from './template.ts';

/** `nib pr add` */
export function profileAdd(group: Command, env: Env): void {
  group
    .command('add <name...>')
    .alias('ad')
    .description('Make a profile for a character, from a slug or a name.')
    .option('--slug <slug>', 'what to call the file, when the name does not give it')
    .addHelpText(
      'after',
      '\nExamples:\n  nib pr add ada-byron\n  nib pr add Ada Byron\n  nib pr add Ада Байрон --slug ada-byron',
    )
    .action(async (words: readonly string[], { slug: given }: { slug?: string }) => {
      const typed = words.join(' ').trim();
      const slug = given ?? slugOf(typed);
      const path = characterPath(slug);
      const name = isStrictSlug(typed) ? '' : typed;
      await changeProject(env.cwd, ({ root }) => {
        if (existsSync(join(root, path)))
          throw new NibError(`${path} is there already. nib pr edit ${slug} opens it.`);
        return { changes: [{ write: path, contents: profileTemplate(name) }], result: undefined };
      });
      env.err(`Made ${path}. nib pr edit ${slug} opens it.\n`);
    });
}

function slugOf(name: string): string {
  const slug = slugify(name);
  if (isStrictSlug(slug)) return slug;
  throw new NibError(`${JSON.stringify(name)} gives no file name of a to z and 0 to 9. Say one with --slug.`);
}
