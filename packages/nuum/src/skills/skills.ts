import { readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, firstLineOf } from '../tools/outcome.ts';
import { parseSkill, type Skill } from './skill.ts';

/** Where skills are, below the working directory and the home directory; the first of a name counts. */
const FOLDERS = ['.nuum/skills', '.claude/skills', '.codex/skills'];
const MOST_SKILLS = 200;
const LARGEST_FILE = 256 * 1024;

/** Where skills are looked for. */
export interface SkillsOptions {
  readonly directory: string;
  readonly home?: string;
  readonly log: (text: string) => void;
}

/** The skills there are. */
export interface Skills {
  /** Looks again, and reads what is new or changed; cheap enough for every turn. */
  scan(): readonly Skill[];
}

interface Known {
  readonly mark: string;
  readonly skill: Skill | undefined;
}

/** Remembers what it has read; a folder that makes no sense is reported once, and again when it changes. */
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
    // Nearly always there are none. A place that cannot be read has none for us.
    if (codeOf(error) === undefined) throw error;
    return [];
  }
}
