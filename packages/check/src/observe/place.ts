import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A throw-away project for agents to work in: whatever they do to it harms nobody. */
export interface Place {
  readonly directory: string;
  /** Where the agent is started. */
  readonly workspace: string;
  /** Two scenes, relative to the directory. */
  readonly scenes: readonly string[];
  /** A small picture. */
  readonly picture: string;
  remove(): void;
}

const SCENES: Readonly<Record<string, string>> = {
  'scenes/one.md': '# One\n\nAnna locks the the door. The rain has not stopped since Monday.\n',
  'scenes/two.md': '# Two\n\nBo waits at the station. His watch says a quarter past nine.\n',
};

/** The smallest GIF there is. */
const PICTURE = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64');

/** Makes a project; agents start in it unless they are given a workspace of their own. */
export function createPlace(workspace?: string): Place {
  const directory = mkdtempSync(join(tmpdir(), 'plugboard-check-'));
  mkdirSync(join(directory, 'scenes'));
  mkdirSync(join(directory, 'users', 'check'), { recursive: true });
  for (const [path, text] of Object.entries(SCENES)) writeFileSync(join(directory, path), text);
  const picture = join(directory, 'picture.gif');
  writeFileSync(picture, PICTURE);
  return {
    directory,
    workspace: workspace ?? directory,
    scenes: Object.keys(SCENES),
    picture,
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
