import { reasonOf } from '@plugboard/protocol';
import { NibError } from '../failure.ts';
import { oneLine } from '../one-line.ts';
import type { Scene } from '../project/book.ts';
import type { Project } from '../project/project.ts';
import { proseOf, readScene } from '../project/scene-file.ts';

/** What to look for, and how. */
export interface Search {
  readonly text: string;
  readonly regex: boolean;
  readonly caseSensitive: boolean;
}

/** One line of a scene in which something was found. */
export interface Finding {
  readonly ref: string;
  readonly slug: string;
  readonly line: number;
  readonly text: string;
}

/** Finds a text in scenes, line by line, in the order of the scenes; those without a file are passed over. */
export function searchScenes(project: Project, scenes: readonly Scene[], search: Search): readonly Finding[] {
  const pattern = patternOf(search);
  return scenes.flatMap((scene) => {
    const bytes = readScene(project, scene);
    const lines = bytes === undefined ? [] : proseOf(bytes).split('\n');
    return lines.flatMap((text, index) =>
      pattern.test(text) ? [{ ref: scene.ref, slug: scene.slug, line: index + 1, text: oneLine(text) }] : [],
    );
  });
}

function patternOf({ text, regex, caseSensitive }: Search): RegExp {
  if (text === '') throw new NibError('There is nothing to look for: the text is empty.');
  try {
    return new RegExp(regex ? text : RegExp.escape(text), caseSensitive ? 'u' : 'iu');
  } catch (error) {
    throw new NibError(`${text} is no regular expression: ${reasonOf(error)}`);
  }
}
