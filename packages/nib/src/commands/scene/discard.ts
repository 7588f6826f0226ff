import { existsSync } from 'node:fs';
import type { Change } from '../../files/transaction.ts';
import { allScenes, type Book, type Scene } from '../../project/book.ts';
import { followFocus } from '../../project/focus.ts';
import type { Project } from '../../project/project.ts';
import { sceneFile } from '../../project/scene-file.ts';
import { trashPath } from '../../project/trash.ts';
import { removeScene } from '../../storydb/replace.ts';
import { readStory, storyChanges } from '../../storydb/story.ts';

/** A file that was thrown away, and where it is kept. */
export interface Trashed {
  readonly path: string;
  readonly trash: string;
}

/**
 * The changes that take scenes out of everything but book.yaml. A file or a slug that the book still has elsewhere stays.
 */
export function discard(
  project: Project,
  gone: readonly Scene[],
  after: Book,
  now: number,
): { readonly changes: readonly Change[]; readonly trashed: readonly Trashed[] } {
  const left = allScenes(after);
  const slugs = new Set(left.map(({ slug }) => slug));
  const paths = new Set(left.map(({ path }) => path));
  const story = readStory(project.root);
  const forgotten = gone
    .filter(({ slug }) => !slugs.has(slug))
    .reduce((known, { slug }) => removeScene(known, slug), story);
  const trashed = trash(project, gone, paths, now);
  const changes = [
    ...trashed.map(({ path, trash }): Change => ({ move: path, to: trash })),
    ...(forgotten === story ? [] : storyChanges(project.root, story, forgotten)),
    ...followFocus(project.root, project.book, after),
  ];
  return { changes, trashed };
}

function trash(
  project: Project,
  gone: readonly Scene[],
  stillUsed: ReadonlySet<string>,
  now: number,
): readonly Trashed[] {
  const found = new Map<string, Trashed>();
  const taken = new Set<string>();
  for (const scene of gone) {
    if (stillUsed.has(scene.path) || found.has(scene.path) || !existsSync(sceneFile(project, scene)))
      continue;
    const place = trashPath(project.root, scene.path, now, taken);
    taken.add(place);
    found.set(scene.path, { path: scene.path, trash: place });
  }
  return [...found.values()];
}
