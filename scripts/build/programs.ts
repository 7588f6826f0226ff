import { cpSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { distOf, type PackageFolder, sourceOf } from './workspace.ts';

/**
 * Programs in plain JavaScript that are started as files: no import leads to them, so neither the compiler nor the
 * bundler brings them along. `in` are the built folders in which they are looked for; a bundled module lies in `lib`,
 * so that a path up and across leads to the same place as in the source.
 */
const PROGRAMS: readonly Program[] = [
  { from: 'check', path: 'scripted/agent.mjs', in: ['check', 'cli'] },
  { from: 'process', path: 'helper/helper.c', in: ['cli'], to: 'lib/helper.c' },
  ...migrations('store', 'drivers/sqlite/migrations', 'cli'),
  ...migrations('store', 'drivers/postgres/schema', 'cli'),
  ...migrations('nuum', 'database/migrations', 'nuum'),
];

interface Program {
  readonly from: PackageFolder;
  readonly path: string;
  readonly in: readonly PackageFolder[];
  /** Where it lies in the built folder, when that is not where it lies in the source. */
  readonly to?: string;
}

/** A bundled module looks for its migrations beside the chunk it is in. */
function migrations(from: PackageFolder, directory: string, folder: PackageFolder): Program[] {
  const names = readdirSync(join(sourceOf(from), directory));
  return names.map((name) => ({
    from,
    path: `${directory}/${name}`,
    in: [folder],
    to: `lib/${basename(directory)}/${name}`,
  }));
}

/** Where the programs lie in a built folder. */
export function programsOf(folder: PackageFolder): string[] {
  return PROGRAMS.filter((program) => program.in.includes(folder)).map(({ path, to }) => to ?? path);
}

/** Puts into these built folders what they look for. */
export function placePrograms(built: readonly PackageFolder[]): void {
  for (const { from, path, in: folders, to = path } of PROGRAMS) {
    for (const folder of folders) {
      if (built.includes(folder)) cpSync(join(sourceOf(from), path), join(distOf(folder), to));
    }
  }
}
