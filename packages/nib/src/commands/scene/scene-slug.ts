import { NibError } from '../../nib-error.ts';
import type { Book } from '../../project/book.ts';
import { findScenesBySlug } from '../../project/find-scene.ts';
import { parseSlug } from '../../project/slug.ts';

/** Converts a typed slug or title to the slug of a new scene; throws if the book has it already. */
export function createSceneSlug(book: Book, typed: string): string {
  const slug = parseSlug(typed);
  if (slug === '')
    throw new NibError(`${JSON.stringify(typed)} has no letter or digit to make a file name of.`);
  const [taken] = findScenesBySlug(book, slug);
  if (taken === undefined) return slug;
  throw new NibError(`The scene ${slug} is in the book already, as ${taken.ref}. Choose another name.`);
}
