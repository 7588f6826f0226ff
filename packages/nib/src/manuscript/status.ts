import { headings } from '../project/heading.ts';
import type { Project } from '../project/project.ts';
import { proseOf, readScene } from '../project/scene-file.ts';
import { type IndexState, indexState } from '../storydb/state.ts';
import type { Story } from '../storydb/story.ts';
import { countWords } from './words.ts';

/** How one scene stands. */
interface SceneStatus {
  readonly ref: string;
  readonly slug: string;
  readonly words: number;
  readonly state: IndexState;
}

/** How one chapter stands. */
interface ChapterStatus {
  readonly chapter: number;
  readonly heading: string;
  readonly words: number;
  readonly scenes: readonly SceneStatus[];
}

/** How the manuscript stands. */
export interface Status {
  readonly title: string;
  readonly words: number;
  readonly chapters: readonly ChapterStatus[];
}

/** Counts the words of every scene and compares it with the story database. */
export function statusOf(project: Project, story: Story): Status {
  const shown = headings(project.book);
  const chapters = project.book.chapters.map(({ number, scenes }, index): ChapterStatus => {
    const rows = scenes.map((scene): SceneStatus => {
      const bytes = readScene(project, scene);
      const words = bytes === undefined ? 0 : countWords(proseOf(bytes));
      return { ref: scene.ref, slug: scene.slug, words, state: indexState(story, scene.slug, bytes) };
    });
    return { chapter: number, heading: shown[index] ?? '', words: total(rows), scenes: rows };
  });
  return { title: project.book.title, words: total(chapters), chapters };
}

function total(parts: readonly { readonly words: number }[]): number {
  return parts.reduce((sum, { words }) => sum + words, 0);
}
