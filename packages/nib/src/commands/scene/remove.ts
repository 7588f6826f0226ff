import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { NibError } from '../../nib-error.ts';
import type { Book, Scene } from '../../project/book.ts';
import { deleteScene } from '../../project/chapter-edits.ts';
import { findScene } from '../../project/find-scene.ts';
import { changeProject, createBookChange, openProject } from '../../project/project.ts';
import { getChapter } from '../../project/reference.ts';
import { requireConfirmation } from '../../terminal/confirmation.ts';
import { parseWholeNumber } from '../whole-number.ts';
import { removeScenes } from './remove-scenes.ts';

/** `nib sc remove` */
export function registerSceneRemove(group: Command, env: Env): void {
  group
    .command('remove <scene> [slug]')
    .alias('rm')
    .description('Remove a scene from the book and the index; its file is kept in .nib/trash.')
    .option('-y, --yes', 'do not ask')
    .addHelpText(
      'after',
      '\nExamples:\n  nib sc remove 3.2\n  nib sc remove opening --yes\n  nib sc remove 1 opening',
    )
    .action(async (first: string, slug: string | undefined, { yes }: { yes?: boolean }) => {
      const { book } = await openProject(env.cwd);
      const asked = findNamed(book, first, slug);
      await requireConfirmation(env, `Remove scene ${asked.ref}, ${asked.path}?`, yes);
      const trashed = await changeProject(env.cwd, (project) => {
        const scene = findNamed(project.book, first, slug);
        if (scene.path !== asked.path)
          throw new NibError('The book has changed meanwhile. Nothing was removed.');
        const edited = createBookChange(project, deleteScene(scene));
        const gone = removeScenes(project, [scene], edited.book, env.now());
        return { changes: [edited.change, ...gone.changes], result: gone.trashed };
      });
      env.err(`Removed scene ${asked.ref}.\n`);
      for (const { path, trash } of trashed) env.err(`${path} is kept as ${trash}.\n`);
    });
}

/** A scene by its reference or slug, or by its chapter and slug. */
function findNamed(book: Book, first: string, slug: string | undefined): Scene {
  if (slug === undefined) return findScene(book, first);
  const number = parseWholeNumber(first, 'Chapter', [1, book.chapters.length]);
  const scene = getChapter(book, number).scenes.find((one) => one.slug === slug);
  if (scene !== undefined) return scene;
  throw new NibError(
    `Chapter ${number} has no scene ${slug}. nib sc list --chapter ${number} shows what it has.`,
  );
}
