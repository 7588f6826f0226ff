import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { distOf, firstExisting, type PackageFolder, readManifest } from './workspace.ts';

const FOREIGN = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/** The licences of what was bundled, as they ask to be kept. Throws when a package has none to show. */
export function writeNotices(folder: PackageFolder, modules: readonly string[]): void {
  const notices = foreignPackages(modules).map((directory) => {
    const { name, version, license } = readManifest(directory);
    const file = licenceIn(directory) ?? licenceOfSibling(directory, license);
    if (file === undefined) throw new Error(`${name} was bundled, but has no LICENSE file to copy.`);
    return `${name} ${version} (${license})\n\n${readFileSync(file, 'utf8').trim()}\n`;
  });
  const text = `This package contains code of other projects.\n\n${notices.join(`\n${'-'.repeat(79)}\n\n`)}`;
  writeFileSync(join(distOf(folder), 'THIRD-PARTY.txt'), text);
}

function foreignPackages(modules: readonly string[]): string[] {
  const directories = modules.flatMap((id) => FOREIGN.exec(id)?.[1] ?? []);
  return [...new Set(directories)].sort();
}

function licenceIn(directory: string): string | undefined {
  return firstExisting(join(directory, 'LICENSE'), join(directory, 'LICENSE.md'));
}

/** A package that was published without its licence is under the one of its family, if that has the same name. */
function licenceOfSibling(directory: string, license: string): string | undefined {
  const family = dirname(directory);
  if (!basename(family).startsWith('@')) return undefined;
  return readdirSync(family)
    .map((name) => join(family, name))
    .filter((sibling) => readManifest(sibling).license === license)
    .map(licenceIn)
    .find((file) => file !== undefined);
}
