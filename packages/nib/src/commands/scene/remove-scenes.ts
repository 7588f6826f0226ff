import { existsSync } from 'node:fs';
import type { Change } from '../../files/transaction.ts';
import { type Book, listScenes, type Scene } from '../../project/book.ts';
import { followFocus } from '../../project/focus.ts';
import type { Project } from '../../project/project.ts';
import { getScenePath } from '../../project/scene-file.ts';
import { findTrashPath } from '../../project/trash.ts';
import { removeScene } from '../../storydb/replace-scene.ts';
import { createStoryChanges, readStory } from '../../storydb/story.ts';

/** A removed file and its path in the trash. */
export interface TrashedFile {
  readonly path: string;
  readonly trash: string;
}

/** The changes that remove scenes from all files but book.yaml. A file or slug that the book still uses stays. */
export function removeScenes(
  project: Project,
  gone: readonly Scene[],
  after: Book,
  now: number,
): { readonly changes: readonly Change[]; readonly trashed: readonly TrashedFile[] } {
  const left = listScenes(after);
  const slugs = new Set(left.map(({ slug }) => slug));
  const paths = new Set(left.map(({ path }) => path));
  const story = readStory(project.root);
  const forgotten = gone
    .filter(({ slug }) => !slugs.has(slug))
    .reduce((known, { slug }) => removeScene(known, slug), story);
  const trashed = listTrashed(project, gone, paths, now);
  const changes = [
    ...trashed.map(({ path, trash }): Change => ({ move: path, to: trash })),
    ...(forgotten === story ? [] : createStoryChanges(project.root, story, forgotten)),
    ...followFocus(project.root, project.book, after),
  ];
  return { changes, trashed };
}

function listTrashed(
  project: Project,
  gone: readonly Scene[],
  stillUsed: ReadonlySet<string>,
  now: number,
): readonly TrashedFile[] {
  const found = new Map<string, TrashedFile>();
  const taken = new Set<string>();
  for (const scene of gone) {
    if (stillUsed.has(scene.path) || found.has(scene.path) || !existsSync(getScenePath(project, scene)))
      continue;
    const place = findTrashPath(project.root, scene.path, now, taken);
    taken.add(place);
    found.set(scene.path, { path: scene.path, trash: place });
  }
  return [...found.values()];
}
