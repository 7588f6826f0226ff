import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUNDLED, distOf, firstExisting, manifestOf, type PackageFolder, ROOT } from './workspace.ts';

/** The first Node that strips types without a flag or a warning and has all that is used. */
const ENGINES = { node: '>=24.15' };

/** An agent is started by its host with whatever Node there is, and the client is used by programs of any age. */
const OLDER_ENGINES = { node: '>=20.16' };
const ON_OLDER_NODE: ReadonlySet<PackageFolder> = new Set<PackageFolder>(['agent', 'client']);

/** Writes the package.json under which a built folder is published, and puts the texts beside it. */
export function writeManifest(folder: PackageFolder): void {
  const source = manifestOf(folder);
  const { name, version, license, description, exports, bin, dependencies } = source;
  const { peerDependencies, peerDependenciesMeta } = source;
  const manifest = {
    name,
    version,
    ...(description === undefined ? {} : { description }),
    license,
    type: 'module',
    engines: ON_OLDER_NODE.has(folder) ? OLDER_ENGINES : ENGINES,
    ...(exports === undefined ? {} : { exports: builtExports(folder, exports) }),
    ...(bin === undefined ? {} : { bin }),
    ...(dependencies === undefined || BUNDLED.has(folder) ? {} : { dependencies: exact(dependencies) }),
    // Clients of chat platforms: whoever configures one installs it.
    ...(peerDependencies === undefined || BUNDLED.has(folder)
      ? {}
      : { peerDependencies: exact(peerDependencies), peerDependenciesMeta }),
  };
  writeFileSync(join(distOf(folder), 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  copyText(folder, 'LICENSE', join(ROOT, 'LICENSE'));
  copyText(folder, 'README.md', join(ROOT, 'packages', folder, 'README.md'));
}

function builtExports(folder: PackageFolder, exports: Readonly<Record<string, string>>): object {
  const entries = Object.entries(exports).map(([subpath, source]) => {
    const path = source.replace(/^\.\/src\//, './').replace(/\.ts$/, '');
    const types = folder === 'agent' ? path.replace('./', './types/agent/') : path;
    return [subpath, { types: `${types}.d.ts`, default: `${path}.js` }];
  });
  return Object.fromEntries(entries);
}

/** A range would let an untested combination of our own packages be installed. */
function exact(dependencies: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, version] of Object.entries(dependencies)) {
    if (!/^\d+\.\d+\.\d+/.test(version)) throw new Error(`${name}: ${version} is not an exact version.`);
  }
  return dependencies;
}

function copyText(folder: PackageFolder, name: string, source: string): void {
  const found = firstExisting(source);
  if (found !== undefined) copyFileSync(found, join(distOf(folder), name));
}
