import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUNDLED, distOf, manifestOf, type PackageFolder, PUBLISHED, ROOT } from './workspace.ts';

/** A folder of its own, as a user has one, with packages of ours in it. */
export interface Installation {
  /** Runs a program there and gives back what it printed. */
  run(program: string, args: readonly string[], input?: string): string;
  write(name: string, text: string): void;
  remove(): void;
}

/** Packs built folders and installs the tarballs without a network. What they depend on is packed from here too. */
export function install(folders: readonly PackageFolder[] = PUBLISHED): Installation {
  const directory = mkdtempSync(join(tmpdir(), 'plugboard-install-'));
  const environment = { ...process.env, PLUGBOARD_HOME: join(directory, 'state') };
  const installation: Installation = {
    run: (program, args, input = '') =>
      execFileSync(program, args, { cwd: directory, env: environment, input, encoding: 'utf8' }),
    write: (name, text) => writeFileSync(join(directory, name), text),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
  const sources = [...folders.map(distOf), ...foreignDependencies(folders)];
  installation.write('package.json', '{ "private": true, "type": "module" }');
  const packed = installation.run('npm', ['pack', '--silent', ...sources]);
  const tarballs = packed
    .trim()
    .split('\n')
    .map((name) => `./${name}`);
  installation.run('npm', ['install', '--silent', '--offline', '--no-audit', '--no-fund', ...tarballs]);
  return installation;
}

/** Where the packages lie that the built folders ask for and that are not ours. */
function foreignDependencies(folders: readonly PackageFolder[]): string[] {
  const names = folders
    .filter((folder) => !BUNDLED.has(folder))
    .flatMap((folder) => Object.keys(manifestOf(folder).dependencies ?? {}));
  const foreign = names.filter((name) => !name.startsWith('@plugboard/'));
  return [...new Set(foreign)].map((name) => join(ROOT, 'node_modules', name));
}
