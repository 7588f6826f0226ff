import { execFileSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { COMPILED, distOf, ROOT, sourceOf } from './workspace.ts';

/** A relative import as it stands in a declaration; the compiler rewrites those only in JavaScript. */
const RELATIVE_IMPORT = /(['"])(\.{1,2}\/[^'"]+)\.ts\1/g;
const PROTOCOL_IMPORT = /(['"])@plugboard\/protocol\1/g;

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
  }
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
  for (const path of declarations(join(types, 'agent'))) {
    const specifier = relative(dirname(path), protocol);
    edit(path, (text) => text.replace(PROTOCOL_IMPORT, `$1${specifier}$1`));
  }
}

function declarations(directory: string): string[] {
  return globSync('**/*.d.ts', { cwd: directory }).map((path) => join(directory, path));
}

function edit(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}
