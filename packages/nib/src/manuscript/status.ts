import { createHeadings } from '../project/headings.ts';
import type { Project } from '../project/project.ts';
import { decodeProse, readScene } from '../project/scene-file.ts';
import { getIndexState, type IndexState } from '../storydb/index-state.ts';
import type { Story } from '../storydb/story.ts';
import { countWords } from './word-count.ts';

/** Word count and index state of one scene. */
interface SceneStatus {
  readonly ref: string;
  readonly slug: string;
  readonly words: number;
  readonly state: IndexState;
}

/** Word counts of one chapter. */
interface ChapterStatus {
  readonly chapter: number;
  readonly heading: string;
  readonly words: number;
  readonly scenes: readonly SceneStatus[];
}

/** The data of `nib ma status`. */
export interface Status {
  readonly title: string;
  readonly words: number;
  readonly chapters: readonly ChapterStatus[];
}

/** Counts the words of every scene and compares it with the story database. */
export function measureStatus(project: Project, story: Story): Status {
  const shown = createHeadings(project.book);
  const chapters = project.book.chapters.map(({ number, scenes }, index): ChapterStatus => {
    const rows = scenes.map((scene): SceneStatus => {
      const bytes = readScene(project, scene);
      const words = bytes === undefined ? 0 : countWords(decodeProse(bytes));
      return { ref: scene.ref, slug: scene.slug, words, state: getIndexState(story, scene.slug, bytes) };
    });
    return { chapter: number, heading: shown[index] ?? '', words: sumWords(rows), scenes: rows };
  });
  return { title: project.book.title, words: sumWords(chapters), chapters };
}

function sumWords(parts: readonly { readonly words: number }[]): number {
  return parts.reduce((sum, { words }) => sum + words, 0);
}
