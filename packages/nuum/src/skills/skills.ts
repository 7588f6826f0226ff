import { readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, firstLineOf } from '../tools/outcome.ts';
import { parseSkill, type Skill } from './skill.ts';

/** Folders of skills below the working directory and the home directory. The first skill of a name wins. */
const FOLDERS = ['.nuum/skills', '.claude/skills', '.codex/skills'];
const MOST_SKILLS = 200;
const LARGEST_FILE = 256 * 1024;

export interface SkillsOptions {
  readonly directory: string;
  readonly home?: string;
  readonly log: (text: string) => void;
}

export interface Skills {
  /** Reads new and changed skills. Unchanged ones cost one `stat` each, so that every turn may call it. */
  scan(): readonly Skill[];
}

interface Known {
  readonly mark: string;
  readonly skill: Skill | undefined;
}

/** Caches skills by folder. An invalid one is logged once, and again after it has changed. */
export function createSkills({ directory, home, log }: SkillsOptions): Skills {
  const roots = [directory, ...(home === undefined || home === directory ? [] : [home])];
  const known = new Map<string, Known>();

  const look = (folder: string): Skill | undefined => {
    const file = join(folder, 'SKILL.md');
    const found = statOf(file);
    if (found === undefined) {
      known.delete(folder);
      return undefined;
    }
    const mark = `${found.ino}:${found.size}:${found.mtimeMs}`;
    const before = known.get(folder);
    if (before?.mark === mark) return before.skill;
    const skill = readSkill(file, folder, found, log);
    known.set(folder, { mark, skill });
    return skill;
  };

  return {
    scan() {
      const skills = new Map<string, Skill>();
      for (const folder of roots.flatMap((root) =>
        FOLDERS.flatMap((place) => foldersIn(join(root, place))),
      )) {
        const skill = look(folder);
        if (skill !== undefined && !skills.has(skill.name) && skills.size < MOST_SKILLS)
          skills.set(skill.name, skill);
      }
      return [...skills.values()];
    },
  };
}

function readSkill(
  file: string,
  folder: string,
  found: Stats,
  log: (text: string) => void,
): Skill | undefined {
  try {
    if (!found.isFile()) throw new Error('it is no regular file');
    if (found.size > LARGEST_FILE) throw new Error(`it is larger than ${LARGEST_FILE} bytes`);
    const { name, description } = parseSkill(readFileSync(file, 'utf8'));
    return { name, description, folder };
  } catch (error) {
    log(`The skill ${file} is left out: ${firstLineOf(error)}.`);
    return undefined;
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function foldersIn(path: string): string[] {
  try {
    return readdirSync(path)
      .sort()
      .slice(0, MOST_SKILLS)
      .map((name) => join(path, name));
  } catch (error) {
    // Most of these folders do not exist. One that cannot be read counts as empty.
    if (codeOf(error) === undefined) throw error;
    return [];
  }
}

const LARGEST = 8000;

/** The list of skills for the system prompt; empty without skills. */
export function catalogueOf(skills: readonly Skill[]): string {
  if (skills.length === 0) return '';
  const lines: string[] = ['Skills; read one with the skill tool before you do what it is for:'];
  let size = 0;
  for (const [index, { name, description }] of skills.entries()) {
    const line = `- ${name}: ${description}`;
    size += line.length;
    if (size > LARGEST) return [...lines, `- and ${skills.length - index} more`].join('\n');
    lines.push(line);
  }
  return lines.join('\n');
}
