import { headings } from '../project/heading.ts';
import type { Project } from '../project/project.ts';
import { proseOf, readScene, requireText } from '../project/scene-file.ts';

/** A manuscript in one piece, and the chapters left out because nothing is written in them. */
export interface Manuscript {
  readonly text: string;
  readonly empty: readonly number[];
}

/** Between two scenes of a chapter. */
const BREAK = '\n\n***\n\n';

/** The reader of a manuscript: `md` is for people, `pandoc` gets the title by its arguments. */
export type Purpose = 'md' | 'pandoc';

/**
 * Puts the manuscript together as Markdown; every scene has to have its file, and one without a word leaves no trace. For
 * pandoc, chapters are headings of level 1, at which it begins the files of an EPUB, and no heading repeats the title.
 */
export function assemble(project: Project, purpose: Purpose = 'md'): Manuscript {
  const { title, author, chapters } = project.book;
  requireText(
    project,
    chapters.flatMap(({ scenes }) => scenes),
  );
  const shown = headings(project.book);
  const head =
    purpose === 'pandoc' ? [] : [title === '' ? '' : `# ${title}`, author === '' ? '' : `*${author}*`];
  const texts = chapters.map(({ scenes }) => {
    const prose = scenes.map((scene) => proseOf(readScene(project, scene) ?? Buffer.alloc(0)).trim());
    const own = purpose === 'pandoc' ? prose.map(lowerHeadings) : prose;
    return own.filter((text) => text !== '').join(BREAK);
  });
  const mark = purpose === 'pandoc' ? '#' : '##';
  const parts = texts.flatMap((text, index) => (text === '' ? [] : [`${mark} ${shown[index]}`, text]));
  const empty = chapters.filter((_chapter, index) => texts[index] === '').map(({ number }) => number);
  return { text: `${[...head, ...parts].filter((part) => part !== '').join('\n\n')}\n`, empty };
}

/** A heading in a scene stands below its chapter: at level 1 it would begin another file. */
function lowerHeadings(prose: string): string {
  return prose.replace(/^(#{1,5})(?=\s)/gm, '$1#');
}
