import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** What the data directory of a gateway holds that agents must not read: tokens, keys of platforms, what others said. */
const WITHHELD: readonly string[] = [
  'gateway.json',
  'plugboard.db',
  'plugboard.db-wal',
  'plugboard.db-shm',
  'recordings',
  'secrets',
];

/** Whether a path is, or lies below, a withheld part of a gateway's data directory, wherever `--data` has put that. */
export function isGatewayFile(path: string): boolean {
  for (let at = path; at !== dirname(at); at = dirname(at)) {
    if (WITHHELD.includes(basename(at)) && isGatewayFolder(dirname(at))) return true;
  }
  return false;
}

/** The withheld paths of the data directories that are, or lie directly in, the working directory or one above it. */
export function listGatewayFiles(directory: string): string[] {
  const folders: string[] = [];
  for (let at = directory; ; at = dirname(at)) {
    folders.push(...[at, ...foldersIn(at)].filter(isGatewayFolder));
    if (at === dirname(at)) break;
  }
  return folders.flatMap((folder) => WITHHELD.map((name) => join(folder, name)));
}

/** `gateway.json` alone may be a file of somebody's project. */
function isGatewayFolder(folder: string): boolean {
  return existsSync(join(folder, 'plugboard.db')) || existsSync(join(folder, 'agents.mark'));
}

function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  } catch {
    return []; // not ours to read
  }
}
