import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Plugin, type RolldownOptions, rolldown } from 'rolldown';
import { distOf, ROOT, sourceOf } from './workspace.ts';

/**
 * What the command loads by name, and the programs it starts as files of their own: those are found beside the module
 * that starts them, and no import leads to them.
 */
const CLI_ENTRIES = {
  main: join(sourceOf('cli'), 'main.ts'),
  demo: join(sourceOf('cli'), 'demo.ts'),
  'node-helper': join(sourceOf('process'), 'helper', 'node-helper.ts'),
};

const common: RolldownOptions = {
  platform: 'node',
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

/** The command with everything it needs, in chunks that are read when they are needed. Returns what went into it. */
export async function bundleCli(): Promise<readonly string[]> {
  const dist = distOf('cli');
  rmSync(dist, { recursive: true, force: true });
  const bundle = await rolldown({ ...common, treeshake: true, input: CLI_ENTRIES });
  const { output } = await bundle.write({
    // All chunks lie in one folder, so that a program beside one of them lies beside all of them.
    dir: join(dist, 'lib'),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await bundle.close();
  writeLauncher(dist);
  return output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
}

/** The launcher stays as it is written: it must run on a Node that is too old for everything else. */
function writeLauncher(dist: string): void {
  const source = readFileSync(join(ROOT, 'packages', 'cli', 'bin', 'plugboard.js'), 'utf8');
  const launcher = source.replaceAll('../src/main.ts', '../lib/main.js');
  if (launcher === source) throw new Error('bin/plugboard.js no longer imports ../src/main.ts.');
  const path = join(dist, 'bin', 'plugboard.js');
  mkdirSync(join(dist, 'bin'), { recursive: true });
  writeFileSync(path, launcher);
  chmodSync(path, 0o755);
}
