import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { isWithin, realPath } from '../tools/files/real-path.ts';
import { visibleTo } from './file-visibility.ts';
import { listGatewayFiles } from './gateway-folder.ts';
import { literalRoots } from './match.ts';
import type { Policy } from './policy.ts';
import { appliesTo } from './rule.ts';
import { secretPlaces } from './secrets.ts';

/** A longer look would hold the agent up. */
const MOST_ENTRIES = 100_000;

export type FileId = Pick<Stats, 'dev' | 'ino' | 'nlink'>;

/** Why an opened file is withheld under another of its names; undefined for a file that is not. */
export type LinkGuard = (path: string, found: FileId) => string | undefined;

interface Withheld {
  /** Paths of files with several names, by device and inode. */
  readonly names: ReadonlyMap<string, readonly string[]>;
  /** False when `MOST_ENTRIES` ended the look. */
  readonly complete: boolean;
}

/**
 * A hard link gives a withheld file a name that no rule matches, so that files with several names are compared by device and
 * inode with the withheld ones: secrets, files of `deny` and `ask` rules, and the memory. `root` is the path that the call
 * names.
 */
export function createLinkGuard(
  policy: Policy,
  tool: string,
  root: string,
  directory: string,
  mostEntries = MOST_ENTRIES,
): LinkGuard {
  let withheld: Withheld | undefined;
  const memory = memoryFiles(policy.memory);
  const isVisible = visibleTo(policy, tool, root, directory);
  return (path, found) => {
    if (memory.has(path) || memory.has(idOf(found)))
      return `${path} is the memory of nuum, which only its own tools read.`;
    if (found.nlink < 2) return undefined;
    withheld ??= listWithheld(placesOf(policy, tool, directory), mostEntries);
    const other = withheld.names.get(idOf(found))?.find((name) => name !== path && !isVisible(name));
    if (other !== undefined) return `${path} is a hard link to ${other}, which the policy keeps closed.`;
    if (withheld.complete) return undefined;
    return `${path} has other names (hard links), and too many files are withheld to compare it with each. Read a copy of it.`;
  };
}

/** The ids and paths of the memory and of what SQLite keeps beside it. */
function memoryFiles(memory: string | undefined): ReadonlySet<string> {
  const paths = memory === undefined ? [] : ['', '-wal', '-shm', '-journal'].map((end) => memory + end);
  return new Set(
    paths.flatMap((path) => {
      const own = statIfThere(path);
      return own === undefined ? [path] : [path, idOf(own)];
    }),
  );
}

/** Files and directories to look into. `isVisible` decides about what is found there. */
function placesOf(policy: Policy, tool: string, directory: string): string[] {
  const { home, rules } = policy;
  const base = { directory: realPath(directory), home };
  const closing = rules.filter((rule) => rule.decision !== 'allow' && appliesTo(rule, { name: tool }));
  return [
    ...secretPlaces(home),
    ...(home === undefined ? [] : filesIn(home)),
    ...filesIn('/etc').filter((path) => /\/g?shadow/.test(path)),
    ...listGatewayFiles(base.directory),
    ...closing.flatMap((rule) => literalRoots(rule, base)),
  ];
}

function filesIn(folder: string): string[] {
  return entriesOf(folder).flatMap((entry) => (entry.isFile() ? [join(folder, entry.name)] : []));
}

function listWithheld(places: readonly string[], mostEntries: number): Withheld {
  const names = new Map<string, string[]>();
  const folders: string[] = [];
  let left = mostEntries;
  const look = (path: string): void => {
    left -= 1;
    const found = lstatIfThere(path);
    if (found?.isDirectory()) folders.push(path);
    if (!found?.isFile() || found.nlink < 2) return;
    names.set(idOf(found), [...(names.get(idOf(found)) ?? []), path]);
  };
  for (const place of withoutNested(places)) {
    // Dotfiles are often kept elsewhere, with a link in the home directory.
    if (statIfThere(place)?.isDirectory()) folders.push(place);
    else look(place);
  }
  for (let folder = folders.pop(); folder !== undefined && left > 0; folder = folders.pop()) {
    for (const { name } of entriesOf(folder)) {
      // Package managers make hard links there by the ten thousand, and no secrets.
      if (name !== 'node_modules') look(join(folder, name));
    }
  }
  return { names, complete: left > 0 };
}

function withoutNested(places: readonly string[]): string[] {
  const once = [...new Set(places)];
  return once.filter((path) => !once.some((other) => other !== path && isWithin(path, other)));
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // gone meanwhile, or not ours to read
  }
}

function lstatIfThere(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

function statIfThere(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function idOf({ dev, ino }: FileId): string {
  return `${dev}:${ino}`;
}
