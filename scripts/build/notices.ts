import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { distOf, firstExisting, type PackageFolder, readManifest } from './workspace.ts';

const FOREIGN = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/** The licences of what was bundled, as they ask to be kept. Throws when a package has none to show. */
export function writeNotices(folder: PackageFolder, modules: readonly string[]): void {
  const notices = foreignPackages(modules).map((directory) => {
    const { name, version, license } = readManifest(directory);
    const file = licenceIn(directory) ?? licenceOfSibling(directory, license) ?? licenceOfScope(directory);
    const text = file === undefined ? licenceInReadme(directory) : readFileSync(file, 'utf8');
    if (text === undefined) throw new Error(`${name} was bundled, but has no LICENSE file to copy.`);
    return `${name} ${version} (${license})\n\n${text.trim()}\n`;
  });
  const text = `This package contains code of other projects.\n\n${notices.join(`\n${'-'.repeat(79)}\n\n`)}`;
  writeFileSync(join(distOf(folder), 'THIRD-PARTY.txt'), text);
}

function foreignPackages(modules: readonly string[]): string[] {
  const directories = modules.flatMap((id) => FOREIGN.exec(id)?.[1] ?? []);
  return [...new Set(directories)].sort();
}

/** `LICENSE`, `License`, `license.md` and the like. */
const LICENCE = /^licen[cs]e(-mit)?(\.(md|txt))?$/i;

function licenceIn(directory: string): string | undefined {
  const name = readdirSync(directory).find((file) => LICENCE.test(file));
  return name === undefined ? undefined : join(directory, name);
}

/** The last section of a README.md, where it is the whole text of the licence: `pg-types` and `pgpass` have no other. */
function licenceInReadme(directory: string): string | undefined {
  const file = firstExisting(join(directory, 'README.md'));
  const section = file && /\n## licen[sc]e\s*\n([\s\S]*)$/i.exec(readFileSync(file, 'utf8'))?.[1];
  return section?.includes('Permission is hereby granted') ? section : undefined;
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

/** The licence of the repository of a scope whose packages are all published without it. */
function licenceOfScope(directory: string): string | undefined {
  return firstExisting(join(import.meta.dirname, 'licences', `${basename(dirname(directory))}.txt`));
}
