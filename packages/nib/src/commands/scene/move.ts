import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { NibError } from '../../failure.ts';
import type { Change } from '../../files/transaction.ts';
import type { Book, Scene } from '../../project/book.ts';
import { moveScene, type Spot } from '../../project/chapter-edits.ts';
import { findScene, scenesCalled } from '../../project/find-scene.ts';
import { followFocus } from '../../project/focus.ts';
import { bookChange, changeProject, type Project } from '../../project/project.ts';
import { chapterAt, parseReference, sceneAt } from '../../project/reference.ts';
import { sceneFile } from '../../project/scene-file.ts';
import { retypeScene } from '../../storydb/replace.ts';
import { readStory, storyChanges } from '../../storydb/story.ts';

/** `nib sc move` */
export function sceneMove(group: Command, env: Env): void {
  group
    .command('move <scene> <to>')
    .alias('mv')
    .description('Move a scene to another place; 4 means the end of chapter 4.')
    .addHelpText('after', '\nExamples:\n  nib sc move 3.1 4.2\n  nib sc move opening 4')
    .action(async (from: string, to: string) => {
      const moved = await changeProject(env.cwd, (project) => {
        const scene = findScene(project.book, from);
        const spot = spotFor(project.book, scene, to);
        const { change, book } = bookChange(project, moveScene(scene, spot));
        const after = sceneAt(book, spot.chapter, spot.position);
        const changes = [
          change,
          ...fileChanges(project, scene, after),
          ...typeChanges(project, scene, after),
          ...followFocus(project.root, project.book, book),
        ];
        return { changes, result: `${scene.ref} to ${after.ref}` };
      });
      env.err(`Moved scene ${moved}.\n`);
    });
}

/** Where a scene goes, counted after it has been taken out of where it is. */
function spotFor(book: Book, scene: Scene, to: string): Spot {
  const { chapter, position } = parseReference(to);
  const { scenes } = chapterAt(book, chapter);
  const last = scenes.length + (scene.chapter === chapter ? 0 : 1);
  if (position !== undefined && position > last) {
    throw new NibError(`${to}: chapter ${chapter} has places 1 to ${last} for this scene.`);
  }
  return { chapter, position: position ?? last };
}

/** Chapters may keep their scenes in directories of their own. */
function fileChanges(project: Project, before: Scene, after: Scene): readonly Change[] {
  if (before.path === after.path || !existsSync(sceneFile(project, before))) return [];
  if (scenesCalled(project.book, before.slug).length > 1) {
    throw new NibError(
      `The scene ${before.slug} stands in the book more than once, so that its file cannot move.`,
    );
  }
  return [{ move: before.path, to: after.path }];
}

function typeChanges({ root }: Project, before: Scene, after: Scene): readonly Change[] {
  if (before.interlude === after.interlude) return [];
  const story = readStory(root);
  const retyped = retypeScene(story, before.slug, after.interlude);
  return retyped === story ? [] : storyChanges(root, story, retyped);
}
