import { reasonOf } from '@plugboard/protocol';
import { NibError } from '../nib-error.ts';
import { toOneLine } from '../one-line.ts';
import type { Scene } from '../project/book.ts';
import type { Project } from '../project/project.ts';
import { decodeProse, readScene } from '../project/scene-file.ts';

/** The text or pattern of a search. */
export interface Search {
  readonly text: string;
  readonly regex: boolean;
  readonly caseSensitive: boolean;
}

/** One matching line of a scene. */
export interface Finding {
  readonly ref: string;
  readonly slug: string;
  readonly line: number;
  readonly text: string;
}

/** Searches scenes line by line, in their order; scenes without a file are skipped. */
export function searchScenes(project: Project, scenes: readonly Scene[], search: Search): readonly Finding[] {
  const pattern = createPattern(search);
  return scenes.flatMap((scene) => {
    const bytes = readScene(project, scene);
    const lines = bytes === undefined ? [] : decodeProse(bytes).split('\n');
    return lines.flatMap((text, index) =>
      pattern.test(text)
        ? [{ ref: scene.ref, slug: scene.slug, line: index + 1, text: toOneLine(text) }]
        : [],
    );
  });
}

function createPattern({ text, regex, caseSensitive }: Search): RegExp {
  if (text === '') throw new NibError('There is nothing to look for: the text is empty.');
  try {
    return new RegExp(regex ? text : RegExp.escape(text), caseSensitive ? 'u' : 'iu');
  } catch (error) {
    throw new NibError(`${text} is no regular expression: ${reasonOf(error)}`);
  }
}
