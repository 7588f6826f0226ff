import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { distOf, firstExisting, readManifest } from './workspace.ts';

const FOREIGN = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/** The licences of what was bundled, as they ask to be kept. Throws when a package has none to show. */
export function writeNotices(modules: readonly string[]): void {
  const notices = foreignPackages(modules).map((directory) => {
    const { name, version, license } = readManifest(directory);
    const file = firstExisting(join(directory, 'LICENSE'), join(directory, 'LICENSE.md'));
    if (file === undefined) throw new Error(`${name} was bundled, but has no LICENSE file to copy.`);
    return `${name} ${version} (${license})\n\n${readFileSync(file, 'utf8').trim()}\n`;
  });
  const text = `This package contains code of other projects.\n\n${notices.join(`\n${'-'.repeat(79)}\n\n`)}`;
  writeFileSync(join(distOf('cli'), 'THIRD-PARTY.txt'), text);
}

function foreignPackages(modules: readonly string[]): string[] {
  const directories = modules.flatMap((id) => FOREIGN.exec(id)?.[1] ?? []);
  return [...new Set(directories)].sort();
}
