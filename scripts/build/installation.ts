import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  // Packages of others are packed from where they are installed; their scripts need tools of their own repositories.
  const packed = installation.run('npm', ['pack', '--silent', '--ignore-scripts', ...sources]);
  const tarballs = packed
    .trim()
    .split('\n')
    .map((name) => `./${name}`);
  installation.run('npm', ['install', '--silent', '--offline', '--no-audit', '--no-fund', ...tarballs]);
  return installation;
}

/** Folders of the packages of others that the built folders depend on, also through each other. */
function foreignDependencies(folders: readonly PackageFolder[]): string[] {
  const names = folders
    .filter((folder) => !BUNDLED.has(folder))
    .flatMap((folder) => Object.keys(manifestOf(folder).dependencies ?? {}))
    .filter((name) => !name.startsWith('@plugboard/'));
  const found = new Set<string>();
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    const folder = join(ROOT, 'node_modules', name);
    if (found.has(folder)) continue;
    found.add(folder);
    names.push(...dependenciesOf(folder));
  }
  return [...found];
}

function dependenciesOf(folder: string): string[] {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly dependencies?: Readonly<Record<string, string>>;
  };
  return Object.keys(manifest.dependencies ?? {});
}
