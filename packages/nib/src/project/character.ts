import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isMap, isScalar, parseAllDocuments } from 'yaml';
import { errorCode, NibError } from '../failure.ts';
import { insideProject } from '../files/inside.ts';
import { readIfThere } from '../files/read.ts';
import { oneLine } from '../one-line.ts';
import { isStrictSlug } from './slug.ts';

const DIRECTORY = 'characters';

/** A character's profile; only the name is understood, the rest is for people and models to read. */
export interface Character {
  readonly slug: string;
  /** The name in the profile, or the slug when there is none. */
  readonly name: string;
  /** The profile's file, relative to the project's root. */
  readonly path: string;
  readonly text: string;
}

/** The file of a character, relative to the project's root. */
export function characterPath(slug: string): string {
  if (isStrictSlug(slug)) return join(DIRECTORY, `${slug}.yaml`);
  throw new NibError(
    `${JSON.stringify(slug)} cannot name a character: use a to z, 0 to 9 and hyphens between words, as in ada-byron.`,
  );
}

/** The profile of a character, or undefined when there is none. */
export function readCharacter(root: string, slug: string): Character | undefined {
  const path = characterPath(slug);
  const text = readIfThere(insideProject(root, path));
  return text === undefined ? undefined : { slug, name: nameIn(text) || slug, path, text };
}

/** The profile of a character that has to be there. */
export function requireCharacter(root: string, slug: string): Character {
  const character = readCharacter(root, slug);
  if (character !== undefined) return character;
  throw new NibError(`There is no profile ${characterPath(slug)}. Make it with nib pr add ${slug}.`);
}

/** The slugs of all characters with a profile, sorted. */
export function characterSlugs(root: string): readonly string[] {
  return namesIn(join(root, DIRECTORY))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => name.slice(0, -'.yaml'.length))
    .filter(isStrictSlug)
    .sort();
}

/** The name in the first document; what cannot be read, or is no plain text, is no name. */
function nameIn(text: string): string {
  try {
    const [first] = parseAllDocuments(text, { schema: 'failsafe', prettyErrors: false, logLevel: 'silent' });
    if (first === undefined || first.errors.length > 0 || !isMap(first.contents)) return '';
    const name: unknown = first.contents.get('name', true);
    const value = isScalar(name) ? String(name.value ?? '') : '';
    return /^(~|null)$/i.test(value) ? '' : oneLine(value);
  } catch {
    return '';
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
