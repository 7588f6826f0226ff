import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { addEffortOption } from '../backend/options.ts';
import type { Env } from '../env.ts';
import { NibError } from '../nib-error.ts';
import { printJson } from '../output.ts';
import { getCharacterPath, listCharacters, requireCharacter } from '../project/character.ts';
import { changeProject, openProject } from '../project/project.ts';
import { isStrictSlug, toSlug } from '../project/slug.ts';
import { findTrashPath } from '../project/trash.ts';
import type { TalkOptions } from '../talk/talk.ts';
import { requireConfirmation } from '../terminal/confirmation.ts';
import { editFile } from '../terminal/editor.ts';

/** Adds the commands of `nib profile` in the order in which help shows them. */
export function addCommands(group: Command, env: Env): void {
  group.addHelpText('after', '\nExamples:\n  nib pr add ada-byron\n  nib pr list');
  for (const add of [
    registerProfileAdd,
    registerProfileList,
    registerProfileEdit,
    registerProfileRemove,
    registerProfileTalk,
  ])
    add(group, env);
}

/** `nib pr add` */
function registerProfileAdd(group: Command, env: Env): void {
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
      const slug = given ?? createSlug(typed);
      const path = getCharacterPath(slug);
      const name = isStrictSlug(typed) ? '' : typed;
      await changeProject(env.cwd, ({ root }) => {
        if (existsSync(join(root, path)))
          throw new NibError(`${path} is there already. nib pr edit ${slug} opens it.`);
        return { changes: [{ write: path, contents: createProfileTemplate(name) }], result: undefined };
      });
      env.err(`Made ${path}. nib pr edit ${slug} opens it.\n`);
    });
}

function createSlug(name: string): string {
  const slug = toSlug(name);
  if (isStrictSlug(slug)) return slug;
  throw new NibError(`${JSON.stringify(name)} gives no file name of a to z and 0 to 9. Say one with --slug.`);
}

/** The initial profile; all keys are optional. It begins and ends with a `---` line. */
export function createProfileTemplate(name: string): string {
  return `---
name: ${JSON.stringify(name)}
age: ""
location: ""
occupation: ""
role: |
  What this character is for in the story.
background: |
  Where they come from, and what made them who they are when the book begins.
goal: ""
values: []
personality: |
  How they meet others, what they hide, how they speak.
habits: []
relationships: {}
---
`;
}

/** `nib pr list` */
function registerProfileList(group: Command, env: Env): void {
  group
    .command('list')
    .alias('ls')
    .description('List the characters with a profile: slug, tab, name.')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  nib pr list\n  nib pr list --json --pretty')
    .action(async ({ json }: { json?: boolean }, command: Command) => {
      const { root } = await openProject(env.cwd);
      const characters = listCharacters(root).map((slug) => requireCharacter(root, slug));
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

/** `nib pr edit` */
function registerProfileEdit(group: Command, env: Env): void {
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

/** `nib pr remove` */
function registerProfileRemove(group: Command, env: Env): void {
  group
    .command('remove <slug>')
    .alias('rm')
    .description('Remove a profile; its file is kept in .nib/trash, and the index stays as it is.')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', '\nExample:\n  nib pr remove ada-byron')
    .action(async (slug: string, { yes }: { yes?: boolean }) => {
      const { path } = requireCharacter((await openProject(env.cwd)).root, slug);
      await requireConfirmation(env, `Remove ${path}?`, yes);
      const kept = await changeProject(env.cwd, ({ root }) => {
        requireCharacter(root, slug);
        const to = findTrashPath(root, path, env.now());
        return { changes: [{ move: path, to }], result: to };
      });
      env.err(`${path} is kept as ${kept}.\n`);
    });
}

/** `nib pr talk` */
function registerProfileTalk(group: Command, env: Env): void {
  const command = group
    .command('talk <character> <scene>')
    .alias('ta')
    .description('Talk with a character who knows the story up to a scene and nothing after it.')
    .option('--resume', 'go on with the conversation that was begun at this scene')
    .option('--new', 'forget the conversation that was begun at this scene');
  addEffortOption(command)
    .addHelpText(
      'after',
      '\nExamples:\n  nib pr talk ada-byron 2.1\n  nib pr talk ada-byron 2.1 --resume\n  nib pr talk ada-byron 3',
    )
    .action(async (slug: string, scene: string, options: TalkOptions) => {
      const { talkToCharacter } = await import('../talk/talk.ts');
      await talkToCharacter(env, slug, scene, options);
    });
}
