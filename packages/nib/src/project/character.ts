import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isMap, isScalar, parseAllDocuments } from 'yaml';
import { resolveInProject } from '../files/project-path.ts';
import { readIfThere } from '../files/read-file.ts';
import { getErrorCode, NibError } from '../nib-error.ts';
import { toOneLine } from '../one-line.ts';
import { isStrictSlug } from './slug.ts';

const DIRECTORY = 'characters';

/** A character's profile. nib reads only `name`; people and models read the rest. */
export interface Character {
  readonly slug: string;
  /** The name in the profile; without one the slug. */
  readonly name: string;
  /** The profile's file, relative to the project's root. */
  readonly path: string;
  readonly text: string;
}

/** The file of a character, relative to the project's root. */
export function getCharacterPath(slug: string): string {
  if (isStrictSlug(slug)) return join(DIRECTORY, `${slug}.yaml`);
  throw new NibError(
    `${JSON.stringify(slug)} cannot name a character: use a to z, 0 to 9 and hyphens between words, as in ada-byron.`,
  );
}

/** The profile of a character; undefined when the file does not exist. */
export function readCharacter(root: string, slug: string): Character | undefined {
  const path = getCharacterPath(slug);
  const text = readIfThere(resolveInProject(root, path));
  return text === undefined ? undefined : { slug, name: parseName(text) || slug, path, text };
}

/** The profile of a character; throws when the file does not exist. */
export function requireCharacter(root: string, slug: string): Character {
  const character = readCharacter(root, slug);
  if (character !== undefined) return character;
  throw new NibError(`There is no profile ${getCharacterPath(slug)}. Make it with nib pr add ${slug}.`);
}

/** The slugs of all characters with a profile, sorted. */
export function listCharacters(root: string): readonly string[] {
  return listFileNames(join(root, DIRECTORY))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => name.slice(0, -'.yaml'.length))
    .filter(isStrictSlug)
    .sort();
}

/** The name in the first document; empty when it is not a plain string or the YAML is invalid. */
function parseName(text: string): string {
  try {
    const [first] = parseAllDocuments(text, { schema: 'failsafe', prettyErrors: false, logLevel: 'silent' });
    if (first === undefined || first.errors.length > 0 || !isMap(first.contents)) return '';
    const name: unknown = first.contents.get('name', true);
    const value = isScalar(name) ? String(name.value ?? '') : '';
    return /^(~|null)$/i.test(value) ? '' : toOneLine(value);
  } catch {
    return '';
  }
}

function listFileNames(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
