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

/** Puts the manuscript together as Markdown; every scene has to have its file, and one without a word leaves no trace. */
export function assemble(project: Project): Manuscript {
  const { title, author, chapters } = project.book;
  requireText(
    project,
    chapters.flatMap(({ scenes }) => scenes),
  );
  const shown = headings(project.book);
  const head = [title === '' ? '' : `# ${title}`, author === '' ? '' : `*${author}*`];
  const texts = chapters.map(({ scenes }) => {
    const prose = scenes.map((scene) => proseOf(readScene(project, scene) ?? Buffer.alloc(0)).trim());
    return prose.filter((text) => text !== '').join(BREAK);
  });
  const parts = texts.flatMap((text, index) => (text === '' ? [] : [`## ${shown[index]}`, text]));
  const empty = chapters.filter((_chapter, index) => texts[index] === '').map(({ number }) => number);
  return { text: `${[...head, ...parts].filter((part) => part !== '').join('\n\n')}\n`, empty };
}
