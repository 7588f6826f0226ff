import { execFileSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { COMPILED, distOf, PRIVATE, ROOT, sourceOf } from './workspace.ts';

/** A relative import as it stands in a declaration; the compiler rewrites those only in JavaScript. */
const RELATIVE_IMPORT = /(['"])(\.{1,2}\/[^'"]+)\.ts\1/g;

/** Compiles every package at once: each sees the sources of the others, and the check is one. */
export function compile(into: string): void {
  const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
  execFileSync(tsc, ['-p', join(ROOT, 'tsconfig.build.json'), '--outDir', into], { stdio: 'inherit' });
  for (const path of declarations(into)) {
    edit(path, (text) => text.replace(RELATIVE_IMPORT, '$1$2.js$1'));
  }
}

/** Packages that are published module by module; their imports of each other stay bare. */
export function placeCompiled(compiled: string): void {
  for (const folder of COMPILED) {
    rmSync(distOf(folder), { recursive: true, force: true });
    cpSync(join(compiled, folder, 'src'), distOf(folder), { recursive: true });
    for (const path of globSync('**/*.{sql,c}', { cwd: sourceOf(folder) })) {
      cpSync(join(sourceOf(folder), path), join(distOf(folder), path));
    }
    for (const name of PRIVATE) placePrivate(name, compiled, distOf(folder));
  }
}

/** Copies a private package into a published one that imports it: npm has no such package to install. */
function placePrivate(name: string, compiled: string, dist: string): void {
  const importing = globSync('**/*.{js,d.ts}', { cwd: dist })
    .map((path) => join(dist, path))
    .filter((path) => readFileSync(path, 'utf8').includes(`'@plugboard/${name}'`));
  if (importing.length === 0) return;
  const copy = join(dist, 'private', name);
  cpSync(join(compiled, name, 'src'), copy, { recursive: true });
  for (const path of importing) importFromFile(path, name, join(copy, 'index.js'));
}

/** The agent's declarations with those of the protocol beside them, so that they need no other package. */
export function placeAgentTypes(compiled: string): void {
  const types = join(distOf('agent'), 'types');
  const isDeclarationOrFolder = (path: string): boolean => path.endsWith('.d.ts') || !path.endsWith('.js');
  for (const folder of ['agent', 'protocol']) {
    const filter = isDeclarationOrFolder;
    cpSync(join(compiled, folder, 'src'), join(types, folder), { recursive: true, filter });
  }
  const protocol = join(types, 'protocol', 'index.js');
  for (const path of declarations(join(types, 'agent'))) importFromFile(path, 'protocol', protocol);
}

/** Replaces the name of a package of ours by the path of its `index.js`. */
function importFromFile(path: string, name: string, index: string): void {
  const specifier = relative(dirname(path), index);
  const relativeSpecifier = specifier.startsWith('.') ? specifier : `./${specifier}`;
  edit(path, (text) =>
    text.replace(new RegExp(`(['"])@plugboard/${name}\\1`, 'g'), `$1${relativeSpecifier}$1`),
  );
}

function declarations(directory: string): string[] {
  return globSync('**/*.d.ts', { cwd: directory }).map((path) => join(directory, path));
}

function edit(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}
