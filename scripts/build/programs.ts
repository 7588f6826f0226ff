import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { distOf, type PackageFolder, sourceOf } from './workspace.ts';

/**
 * Programs in plain JavaScript that are started as files: no import leads to them, so neither the compiler nor the
 * bundler brings them along. `in` are the built folders in which they are looked for; a bundled module lies in `lib`,
 * so that a path up and across leads to the same place as in the source.
 */
const PROGRAMS: readonly { from: PackageFolder; path: string; in: readonly PackageFolder[] }[] = [
  { from: 'check', path: 'scripted/agent.mjs', in: ['check', 'cli'] },
];

/** Where the programs lie in a built folder. */
export function programsOf(folder: PackageFolder): string[] {
  return PROGRAMS.filter((program) => program.in.includes(folder)).map(({ path }) => path);
}

export function placePrograms(): void {
  for (const { from, path, in: folders } of PROGRAMS) {
    for (const folder of folders) cpSync(join(sourceOf(from), path), join(distOf(folder), path));
  }
}
