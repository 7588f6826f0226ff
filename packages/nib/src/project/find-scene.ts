import { NibError } from '../failure.ts';
import { allScenes, type Book, type Scene } from './book.ts';
import { parseReference, sceneAt } from './reference.ts';

/** The scene a person means by `3.2` or by its slug. */
export function findScene(book: Book, text: string): Scene {
  if (/^\s*[+-]?[0-9]+\.[+-]?[0-9]+\s*$/.test(text)) {
    const { chapter, position = 1 } = parseReference(text);
    return sceneAt(book, chapter, position);
  }
  const [found, ...others] = scenesCalled(book, text);
  if (found === undefined) {
    throw new NibError(
      `There is no scene ${JSON.stringify(text)} in book.yaml. nib sc list shows what there is.`,
    );
  }
  if (others.length > 0) {
    const refs = [found, ...others].map(({ ref }) => ref).join(' and ');
    throw new NibError(`The scene ${text} stands in the book more than once. Say which: ${refs}.`);
  }
  return found;
}

/** Every place a slug has in the book. */
export function scenesCalled(book: Book, slug: string): readonly Scene[] {
  return allScenes(book).filter((scene) => scene.slug === slug);
}
