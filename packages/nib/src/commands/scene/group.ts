import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { resolveInProject } from '../../files/project-path.ts';
import type { Change } from '../../files/transaction.ts';
import { printColumns, printJson } from '../../output.ts';
import { listScenes } from '../../project/book.ts';
import { insertScene } from '../../project/chapter-edits.ts';
import { findScene } from '../../project/find-scene.ts';
import { createFocusChange, readFocus, requireFocusedScene } from '../../project/focus.ts';
import { changeProject, createBookChange, openProject } from '../../project/project.ts';
import { getChapter } from '../../project/reference.ts';
import { getScenePath } from '../../project/scene-file.ts';
import { editFile } from '../../terminal/editor.ts';
import { parseWholeNumber } from '../whole-number.ts';
import { registerSceneMove } from './move.ts';
import { registerSceneRemove } from './remove.ts';
import { registerSceneRename } from './rename.ts';
import { createSceneSlug } from './scene-slug.ts';

/** Adds the commands of `nib scene` in the order in which help shows them. */
export function addCommands(group: Command, env: Env): void {
  group.addHelpText('after', '\nExamples:\n  nib sc add 1 opening\n  nib sc edit 1.1');
  for (const add of [
    registerSceneAdd,
    registerSceneList,
    registerSceneEdit,
    registerSceneFocus,
    registerSceneMove,
    registerSceneRename,
    registerSceneRemove,
  ])
    add(group, env);
}

/** `nib sc add` */
function registerSceneAdd(group: Command, env: Env): void {
  group
    .command('add <chapter> <name...>')
    .alias('ad')
    .description('Add a scene to a chapter and put it into focus.')
    .option('--at <number>', 'where in the chapter (default: at its end)')
    .addHelpText('after', '\nExamples:\n  nib sc add 1 opening\n  nib sc add 3 The Lamp Goes Out --at 2')
    .action(async (chapter: string, words: readonly string[], { at }: { at?: string }) => {
      const added = await changeProject(env.cwd, (project) => {
        const { root, book } = project;
        const slug = createSceneSlug(book, words.join(' '));
        const number = parseWholeNumber(chapter, 'Chapter', [1, book.chapters.length]);
        const { scenes, directory } = getChapter(book, number);
        const end = scenes.length + 1;
        const position = at === undefined ? end : parseWholeNumber(at, '--at', [1, end]);
        const { change } = createBookChange(project, insertScene({ chapter: number, position }, slug));
        const path = join(directory, `${slug}.md`);
        const found = existsSync(resolveInProject(root, path));
        const changes: Change[] = [change, createFocusChange(root, { chapter: number, scene: slug })];
        if (!found) changes.push({ write: path, contents: '' });
        return { changes, result: { ref: `${number}.${position}`, path, found } };
      });
      const note = added.found ? ', whose file was there already' : '';
      env.err(`Added scene ${added.ref}, ${added.path}${note}. It is in focus.\n`);
    });
}

interface ListOptions {
  readonly chapter?: string;
  readonly json?: boolean;
}

/** `nib sc list` */
function registerSceneList(group: Command, env: Env): void {
  group
    .command('list')
    .alias('ls')
    .description('List the scenes; a star marks the one in focus.')
    .option('-c, --chapter <number>', 'only those of a chapter')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  nib sc list\n  nib sc list --chapter 3')
    .action(async ({ chapter, json }: ListOptions, command: Command) => {
      const { root, book } = await openProject(env.cwd);
      const scenes =
        chapter === undefined
          ? listScenes(book)
          : getChapter(book, parseWholeNumber(chapter, 'Chapter', [1, book.chapters.length])).scenes;
      if (json === true) {
        return printJson(
          env,
          command,
          scenes.map(({ ref, slug, path }) => ({ ref, slug, path })),
        );
      }
      const focus = readFocus(root);
      const rows = scenes.map(({ ref, slug, path, chapter: number }) => {
        const focused = focus?.chapter === number && focus.scene === slug;
        return [focused ? '*' : ' ', ref, slug, path];
      });
      printColumns(env, rows);
    });
}

/** `nib sc edit` */
function registerSceneEdit(group: Command, env: Env): void {
  group
    .command('edit [scene]')
    .alias('ed')
    .description('Open a scene, or the one in focus, in NIB_EDITOR, VISUAL or EDITOR.')
    .addHelpText(
      'after',
      '\nExamples:\n  nib sc edit\n  nib sc edit 3.2\n  NIB_EDITOR="code --wait" nib sc edit opening',
    )
    .action(async (name: string | undefined) => {
      const project = await openProject(env.cwd);
      const scene = name === undefined ? requireFocusedScene(project) : findScene(project.book, name);
      const file = getScenePath(project, scene);
      mkdirSync(dirname(file), { recursive: true });
      await editFile(env, project.root, file);
    });
}

/** `nib sc focus` and `nib sc unfocus` */
function registerSceneFocus(group: Command, env: Env): void {
  group
    .command('focus [scene]')
    .alias('fo')
    .description('Put a scene into focus, or show which one is.')
    .addHelpText('after', '\nExamples:\n  nib sc focus 3.2\n  nib sc focus')
    .action(async (name: string | undefined) => {
      if (name === undefined) {
        const { ref, slug } = requireFocusedScene(await openProject(env.cwd));
        return env.out(`${ref} ${slug}\n`);
      }
      const focused = await changeProject(env.cwd, ({ root, book }) => {
        const { chapter, slug, ref } = findScene(book, name);
        return { changes: [createFocusChange(root, { chapter, scene: slug })], result: `${ref}, ${slug}` };
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
        changes: [createFocusChange(root, undefined)],
        result: undefined,
      }));
      env.err('No scene is in focus.\n');
    });
}
