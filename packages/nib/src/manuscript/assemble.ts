import { createHeadings } from '../project/headings.ts';
import type { Project } from '../project/project.ts';
import { decodeProse, readScene, requireText } from '../project/scene-file.ts';

/** A manuscript as one text, and the numbers of the empty chapters, which it omits. */
export interface Manuscript {
  readonly text: string;
  readonly empty: readonly number[];
}

/** Separates two scenes of a chapter. */
const BREAK = '\n\n***\n\n';

/** The reader of a manuscript: `md` is for people, `pandoc` gets the title by its arguments. */
export type Purpose = 'md' | 'pandoc';

/**
 * Joins the scenes into one Markdown text. Every scene must have a file; empty ones are omitted. For pandoc, chapters
 * are headings of level 1, where it starts the files of an EPUB, and no heading repeats the title.
 */
export function assembleManuscript(project: Project, purpose: Purpose = 'md'): Manuscript {
  const { title, author, chapters } = project.book;
  requireText(
    project,
    chapters.flatMap(({ scenes }) => scenes),
  );
  const shown = createHeadings(project.book);
  const head =
    purpose === 'pandoc' ? [] : [title === '' ? '' : `# ${title}`, author === '' ? '' : `*${author}*`];
  const texts = chapters.map(({ scenes }) => {
    const prose = scenes.map((scene) => decodeProse(readScene(project, scene) ?? Buffer.alloc(0)).trim());
    const own = purpose === 'pandoc' ? prose.map(lowerHeadings) : prose;
    return own.filter((text) => text !== '').join(BREAK);
  });
  const mark = purpose === 'pandoc' ? '#' : '##';
  const parts = texts.flatMap((text, index) => (text === '' ? [] : [`${mark} ${shown[index]}`, text]));
  const empty = chapters.filter((_chapter, index) => texts[index] === '').map(({ number }) => number);
  return { text: `${[...head, ...parts].filter((part) => part !== '').join('\n\n')}\n`, empty };
}

/** Moves the headings of a scene below level 1, at which pandoc would start another file. */
function lowerHeadings(prose: string): string {
  return prose.replace(/^(#{1,5})(?=\s)/gm, '$1#');
}
