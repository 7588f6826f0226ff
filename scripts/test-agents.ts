import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AGENTS, type AgentName, commandOf, folderOf } from '../test/agents/table.ts';

/*
 * Installs the programs of `test/agents/table.ts` where they are absent, then runs their tests: in a network namespace that
 * has loopback alone, where this machine allows one. Arguments: names of programs; all when absent.
 */

const INSTALL_TRIES = 3;
const INSTALL_TIMEOUT_MS = 180_000;
/** Of all programs together: without a network each try takes as long as npm's own retries. */
const INSTALL_DEADLINE_MS = 420_000;

const named = process.argv.slice(2);
const unknown = named.filter((name) => !Object.hasOwn(AGENTS, name));
if (unknown.length > 0) {
  console.error(`No such program: ${unknown.join(', ')}. There are: ${Object.keys(AGENTS).join(', ')}.`);
  process.exit(2);
}
const names = (Object.keys(AGENTS) as AgentName[]).filter(
  (name) => named.length === 0 || named.includes(name),
);

const started = performance.now();
for (const name of names) install(name);
const installed = performance.now();
const missing = names.flatMap((name) => {
  const command = commandOf(name);
  return 'missing' in command ? [`NOT TRIED: ${name}. ${command.missing}`] : [];
});
const namespace = createNamespace();
const isolated = !('refused' in namespace);
const remarks = isolated
  ? missing
  : [
      ...missing,
      `NOT SHOWN: that the programs reach no network. There is no namespace: ${namespace.refused}`,
    ];
for (const sentence of remarks) console.error(sentence);
const status = runTests(names.map((name) => `test/agents/${name}.agents.test.ts`));
const seconds = (from: number, to: number): string => `${((to - from) / 1000).toFixed(0)} s`;
console.log(
  `Installing took ${seconds(started, installed)}, the tests ${seconds(installed, performance.now())}.`,
);
// Repeats `remarks` below the report of vitest, which may be long.
for (const sentence of remarks) console.error(sentence);
process.exitCode = status === 0 && missing.length > 0 && process.env.CI === 'true' ? 1 : status;

/** Installs a program at its version. A download that breaks off is begun again in an empty folder. */
function install(name: AgentName): void {
  const folder = folderOf(name);
  const wanted = `${AGENTS[name].package}@${AGENTS[name].version}`;
  for (let tries = 0; tries < INSTALL_TRIES && 'missing' in commandOf(name); tries += 1) {
    const left = started + INSTALL_DEADLINE_MS - performance.now();
    if (left < 1000) return;
    console.log(`Installing ${wanted} into ${folder}${tries === 0 ? '' : `, try ${tries + 1}`}`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    // Without install scripts: the programs are started as files of their platform's package.
    const flags = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder];
    const options = { cwd: folder, stdio: 'inherit', timeout: Math.min(left, INSTALL_TIMEOUT_MS) } as const;
    const { error } = spawnSync('npm', ['install', ...flags, wanted], options);
    if (error !== undefined) console.error(`npm install of ${wanted}: ${error.message}`);
  }
}

function runTests(files: readonly string[]): number {
  const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs');
  const words = [process.execPath, vitest, 'run', '--project', 'agents', ...files];
  const [file = '', ...args] = [...(isolated ? namespace : []), ...words];
  const { status, error } = spawnSync(file, args, { stdio: 'inherit' });
  if (error !== undefined) console.error(`The tests could not be started: ${error.message}`);
  return status ?? 1;
}

/** The words before a command that give it a network of loopback alone; the reason where this machine does not allow that. */
function createNamespace(): readonly string[] | { readonly refused: string } {
  const flags = process.getuid?.() === 0 ? ['-n'] : ['-r', '-n'];
  const words = ['unshare', ...flags, 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'] as const;
  const [file, ...args] = words;
  const { status, stderr, error } = spawnSync(file, [...args, 'true'], { encoding: 'utf8' });
  return status === 0 ? words : { refused: (error?.message ?? stderr).trim() };
}
