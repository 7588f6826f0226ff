import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import type { Change } from '../../files/transaction.ts';
import { NibError } from '../../nib-error.ts';
import type { Book, Scene } from '../../project/book.ts';
import { moveScene, type ScenePosition } from '../../project/chapter-edits.ts';
import { findScene, findScenesBySlug } from '../../project/find-scene.ts';
import { followFocus } from '../../project/focus.ts';
import { changeProject, createBookChange, type Project } from '../../project/project.ts';
import { getChapter, getScene, parseReference } from '../../project/reference.ts';
import { getScenePath } from '../../project/scene-file.ts';
import { retypeScene } from '../../storydb/replace-scene.ts';
import { createStoryChanges, readStory } from '../../storydb/story.ts';

/** `nib sc move` */
export function registerSceneMove(group: Command, env: Env): void {
  group
    .command('move <scene> <to>')
    .alias('mv')
    .description('Move a scene to another place; 4 means the end of chapter 4.')
    .addHelpText('after', '\nExamples:\n  nib sc move 3.1 4.2\n  nib sc move opening 4')
    .action(async (from: string, to: string) => {
      const moved = await changeProject(env.cwd, (project) => {
        const scene = findScene(project.book, from);
        const spot = findPosition(project.book, scene, to);
        const { change, book } = createBookChange(project, moveScene(scene, spot));
        const after = getScene(book, spot.chapter, spot.position);
        const changes = [
          change,
          ...createFileChanges(project, scene, after),
          ...createTypeChanges(project, scene, after),
          ...followFocus(project.root, project.book, book),
        ];
        return { changes, result: `${scene.ref} to ${after.ref}` };
      });
      env.err(`Moved scene ${moved}.\n`);
    });
}

/** The target position, counted after the scene was removed from its old position. */
function findPosition(book: Book, scene: Scene, to: string): ScenePosition {
  const { chapter, position } = parseReference(to);
  const { scenes } = getChapter(book, chapter);
  const last = scenes.length + (scene.chapter === chapter ? 0 : 1);
  if (position !== undefined && position > last) {
    throw new NibError(`${to}: chapter ${chapter} has places 1 to ${last} for this scene.`);
  }
  return { chapter, position: position ?? last };
}

/** Moves the scene's file if the chapters have different `subdir` values. */
function createFileChanges(project: Project, before: Scene, after: Scene): readonly Change[] {
  if (before.path === after.path || !existsSync(getScenePath(project, before))) return [];
  if (findScenesBySlug(project.book, before.slug).length > 1) {
    throw new NibError(
      `The scene ${before.slug} stands in the book more than once, so that its file cannot move.`,
    );
  }
  return [{ move: before.path, to: after.path }];
}

function createTypeChanges({ root }: Project, before: Scene, after: Scene): readonly Change[] {
  if (before.interlude === after.interlude) return [];
  const story = readStory(root);
  const retyped = retypeScene(story, before.slug, after.interlude);
  return retyped === story ? [] : createStoryChanges(root, story, retyped);
}
