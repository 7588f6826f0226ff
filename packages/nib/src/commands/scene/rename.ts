import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import type { Change } from '../../files/transaction.ts';
import { NibError } from '../../nib-error.ts';
import { renameScene as renameInBook } from '../../project/chapter-edits.ts';
import { findScene, findScenesBySlug } from '../../project/find-scene.ts';
import { followFocus } from '../../project/focus.ts';
import { changeProject, createBookChange } from '../../project/project.ts';
import { getScene } from '../../project/reference.ts';
import { getScenePath } from '../../project/scene-file.ts';
import { renameScene as renameInStory } from '../../storydb/replace-scene.ts';
import { createStoryChanges, readStory } from '../../storydb/story.ts';
import { createSceneSlug } from './scene-slug.ts';

/** `nib sc rename` */
export function registerSceneRename(group: Command, env: Env): void {
  group
    .command('rename <scene> <name...>')
    .alias('rn')
    .description('Give a scene another name; its file, its index and the focus go with it.')
    .addHelpText(
      'after',
      '\nExamples:\n  nib sc rename opening first-light\n  nib sc rename 3.2 The Lamp Goes Out',
    )
    .action(async (from: string, words: readonly string[]) => {
      const renamed = await changeProject(env.cwd, (project) => {
        const { root, book } = project;
        const scene = findScene(book, from);
        if (findScenesBySlug(book, scene.slug).length > 1) {
          throw new NibError(
            `The scene ${scene.slug} stands in the book more than once. Remove one of them first.`,
          );
        }
        const slug = createSceneSlug(book, words.join(' '));
        const edited = createBookChange(project, renameInBook(scene, slug));
        const after = getScene(edited.book, scene.chapter, scene.position);
        const story = readStory(root);
        const known = renameInStory(story, scene.slug, slug);
        const hasFile = existsSync(getScenePath(project, scene));
        const changes: Change[] = [
          edited.change,
          ...(hasFile ? [{ move: scene.path, to: after.path }] : []),
          ...createStoryChanges(root, story, known),
          ...followFocus(root, book, edited.book, new Map([[scene.slug, slug]])),
        ];
        return { changes, result: `${scene.ref} from ${scene.slug} to ${slug}` };
      });
      env.err(`Renamed scene ${renamed}.\n`);
    });
}
