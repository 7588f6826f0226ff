import { NibError } from '../../failure.ts';
import type { Book } from '../../project/book.ts';
import { scenesCalled } from '../../project/find-scene.ts';
import { slugFromName } from '../../project/slug.ts';

/** The slug a new scene gets from what a person typed, a slug or a title; one that is taken is refused. */
export function newSlug(book: Book, typed: string): string {
  const slug = slugFromName(typed);
  if (slug === '')
    throw new NibError(`${JSON.stringify(typed)} has no letter or digit to make a file name of.`);
  const [taken] = scenesCalled(book, slug);
  if (taken === undefined) return slug;
  throw new NibError(`The scene ${slug} is in the book already, as ${taken.ref}. Choose another name.`);
}
