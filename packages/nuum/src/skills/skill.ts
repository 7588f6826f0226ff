import { isObject } from '@plugboard/protocol';
import { parse } from 'yaml';

const LONGEST_DESCRIPTION = 255;

/** A folder with instructions in `SKILL.md`. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly folder: string;
}

/** The content of a `SKILL.md`. */
export interface SkillFile {
  readonly name: string;
  readonly description: string;
  readonly body: string;
}

/** Throws a sentence that names the problem. */
export function parseSkill(text: string): SkillFile {
  const match = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n([\s\S]*))?$/.exec(text);
  if (match === null) throw new Error('it does not begin with front matter between two lines of ---');
  const matter: unknown = readMatter(match[1] ?? '');
  if (!isObject(matter)) throw new Error('its front matter is not a list of names and values');
  const { name, description } = matter;
  if (typeof name !== 'string' || !isName(name)) {
    throw new Error('its name must be 1 to 64 small letters, digits and single hyphens');
  }
  if (typeof description !== 'string' || description.trim() === '') throw new Error('it has no description');
  return { name, description: shortenDescription(description), body: (match[2] ?? '').trim() };
}

function readMatter(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 10 });
  } catch {
    throw new Error('its front matter is not valid YAML');
  }
}

function isName(name: string): boolean {
  return name.length <= 64 && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name);
}

function shortenDescription(description: string): string {
  const line = description.replace(/\s+/g, ' ').trim();
  return line.length <= LONGEST_DESCRIPTION
    ? line
    : `${line.slice(0, LONGEST_DESCRIPTION - 1).toWellFormed()}…`;
}
