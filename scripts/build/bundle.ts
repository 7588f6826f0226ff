import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Plugin, type RolldownOptions, rolldown } from 'rolldown';
import { distOf, manifestOf, type ProgramFolder, ROOT, sourceOf } from './workspace.ts';

/**
 * What the commands of a package load by name, and the programs they start as files of their own: those are found beside
 * the module that starts them, and no import leads to them.
 */
const ENTRIES: Readonly<Record<ProgramFolder, Readonly<Record<string, string>>>> = {
  cli: {
    main: join(sourceOf('cli'), 'main.ts'),
    demo: join(sourceOf('cli'), 'demo.ts'),
    'verify-worker': join(sourceOf('store'), 'drivers', 'sqlite', 'verify-worker.ts'),
    'search-worker': join(sourceOf('store'), 'drivers', 'sqlite', 'search', 'search-worker.ts'),
    'node-helper': join(sourceOf('process'), 'helper', 'node-helper.ts'),
  },
  nib: {
    main: join(sourceOf('nib'), 'main.ts'),
    'nib-agent-claude': join(sourceOf('nib'), 'backends', 'claude', 'main.ts'),
    'nib-agent-local': join(sourceOf('nib'), 'backends', 'local', 'main.ts'),
  },
  nuum: {
    main: join(sourceOf('nuum'), 'main.ts'),
    worker: join(sourceOf('nuum'), 'tools', 'search', 'worker.ts'),
  },
};

const common: RolldownOptions = {
  platform: 'node',
  // `@discordjs/ws` tries to load it, and does without.
  external: ['zlib-sync'],
  tsconfig: false,
  treeshake: { moduleSideEffects: false },
};

/**
 * An agent never uses the host's half of a dialect, but the table of dialects names both, so that no unused code could
 * be told from used. Without it an agent starts several milliseconds sooner.
 */
const withoutHostHalves: Plugin = {
  name: 'without-host-halves',
  transform(code, id) {
    if (!/\/dialects\/[^/]+\/index\.ts$/.test(id)) return null;
    const rest = code.replace(/^\s*host: \w+,\n/m, '');
    if (rest === code) throw new Error(`${id} no longer names its host half on a line of its own.`);
    return { code: rest };
  },
};

/** One readable file: who writes an agent installs one package, and starting it reads one file. */
export async function bundleAgent(): Promise<void> {
  const dist = distOf('agent');
  rmSync(dist, { recursive: true, force: true });
  const bundle = await rolldown({
    ...common,
    input: join(sourceOf('agent'), 'index.ts'),
    plugins: [withoutHostHalves],
  });
  await bundle.write({ file: join(dist, 'index.js'), format: 'esm', codeSplitting: false, comments: false });
  await bundle.close();
}

/** The commands of a package with everything they need, in chunks that are read when they are needed. Returns what went in. */
export async function bundlePrograms(folder: ProgramFolder): Promise<readonly string[]> {
  const dist = distOf(folder);
  rmSync(dist, { recursive: true, force: true });
  const bundle = await rolldown({ ...common, treeshake: true, input: { ...ENTRIES[folder] } });
  const { output } = await bundle.write({
    // All chunks lie in one folder, so that a program beside one of them lies beside all of them.
    dir: join(dist, 'lib'),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await bundle.close();
  for (const path of Object.values(manifestOf(folder).bin ?? {})) writeLauncher(folder, path);
  return output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
}

/** A launcher stays as it is written but for what it imports: it must run on a Node that is too old for everything else. */
function writeLauncher(folder: ProgramFolder, path: string): void {
  const source = readFileSync(join(ROOT, 'packages', folder, path), 'utf8');
  const launcher = source.replace(
    /\.\.\/src\/[^']+\.ts/,
    (imported) => `../lib/${entryAt(folder, imported)}.js`,
  );
  const built = join(distOf(folder), path);
  mkdirSync(dirname(built), { recursive: true });
  writeFileSync(built, launcher);
  chmodSync(built, 0o755);
}

function entryAt(folder: ProgramFolder, imported: string): string {
  const file = join(ROOT, 'packages', folder, 'bin', imported);
  const name = Object.entries(ENTRIES[folder]).find(([, source]) => source === file)?.[0];
  if (name === undefined)
    throw new Error(`${imported}, which a command of ${folder} starts with, is not bundled.`);
  return name;
}
