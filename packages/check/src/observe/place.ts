import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** A throw-away project for agents to work in: whatever they do to it harms nobody. */
export interface Place {
  readonly directory: string;
  /** Where the agent is started. */
  readonly workspace: string;
  /** Two scenes, relative to the directory. */
  readonly scenes: readonly string[];
  /** A small picture. */
  readonly picture: string;
  /** Beside the project: files that belong to the check. */
  readonly scratch: string;
  /** The text of every file of the project, by its path below `directory`. */
  readFiles(): ReadonlyMap<string, string>;
  remove(): void;
}

/** What makes a directory a project of nib: a book of one chapter, and its people. */
const BOOK: Readonly<Record<string, string>> = {
  'book.yaml': [
    'title: "Check"',
    'author: "Plugboard"',
    '---',
    'book:',
    '  base_dir: scenes',
    '  chapters:',
    '    - name: "Waiting"',
    '      scenes:',
    '        - one',
    '        - two',
    '',
  ].join('\n'),
  'characters/anna.yaml': 'name: Anna\nrole: Locks doors.\n',
  'characters/bo.yaml': 'name: Bo\nrole: Waits.\n',
};

const SCENES: Readonly<Record<string, string>> = {
  'scenes/one.md': '# One\n\nAnna locks the the door. The rain has not stopped since Monday.\n',
  'scenes/two.md': '# Two\n\nBo waits at the station. His watch says a quarter past nine.\n',
};

/** The smallest GIF there is. */
const PICTURE = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64');

/** Makes a project; agents start in it unless they are given a workspace of their own. */
export function createPlace(workspace?: string): Place {
  const base = mkdtempSync(join(tmpdir(), 'plugboard-check-'));
  const directory = join(base, 'project');
  const scratch = join(base, 'scratch');
  mkdirSync(scratch);
  mkdirSync(join(directory, 'scenes'), { recursive: true });
  mkdirSync(join(directory, 'users', 'check'), { recursive: true });
  mkdirSync(join(directory, 'characters'));
  for (const [path, text] of Object.entries({ ...BOOK, ...SCENES }))
    writeFileSync(join(directory, path), text);
  const picture = join(directory, 'picture.gif');
  writeFileSync(picture, PICTURE);
  return {
    directory,
    workspace: workspace ?? directory,
    scenes: Object.keys(SCENES),
    picture,
    scratch,
    readFiles: () => readFiles(directory),
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

function readFiles(directory: string): ReadonlyMap<string, string> {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.map((file) => [relative(directory, file), readFileSync(file, 'utf8')]));
}
