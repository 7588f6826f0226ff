import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** A temporary project that agents may change; `remove` deletes it. */
export interface Place {
  readonly directory: string;
  /** Working directory of the agent. */
  readonly workspace: string;
  /** Paths of two scenes, relative to `directory`. */
  readonly scenes: readonly string[];
  /** Absolute path of a GIF. */
  readonly picture: string;
  /** Files of the check, outside `directory`, so that `readFiles` does not see them. */
  readonly scratch: string;
  /** Text of every file, by its path relative to `directory`. */
  readFiles(): ReadonlyMap<string, string>;
  remove(): void;
}

/** Files of a nib project other than scenes: `book.yaml` and two characters. */
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

const PICTURE = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64');

/** Creates a project. `workspace` replaces it as the working directory of the agent. */
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
