import { NibError } from '../nib-error.ts';
import { type Book, listScenes, type Scene } from './book.ts';
import { getScene, parseReference } from './reference.ts';

/** The scene named by `3.2` or by its slug. */
export function findScene(book: Book, text: string): Scene {
  if (/^\s*[+-]?[0-9]+\.[+-]?[0-9]+\s*$/.test(text)) {
    const { chapter, position = 1 } = parseReference(text);
    return getScene(book, chapter, position);
  }
  const [found, ...others] = findScenesBySlug(book, text);
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

/** All scenes with a slug: book.yaml may list it more than once. */
export function findScenesBySlug(book: Book, slug: string): readonly Scene[] {
  return listScenes(book).filter((scene) => scene.slug === slug);
}
