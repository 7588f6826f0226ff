import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { CommandFailure } from '../failure.ts';
import {
  ensureDirectory,
  homeDirectory,
  listShims,
  pathDirectories,
  removeShim,
  shimName,
  shimText,
  writeShim,
} from '../install/shim.ts';
import { profileIn } from '../mistaken.ts';

interface InstallOptions {
  readonly dir?: string;
  readonly force?: boolean;
  readonly list?: boolean;
  readonly remove?: string;
}

const EXAMPLES = `
Examples:
  plugboard install nib-agent helper helper.yaml           nib-agent-helper, for NIB_AGENT=helper nib …
  plugboard install nib-agent --list
  plugboard install nib-agent --remove helper`;

/** `plugboard install`: make an agent of any dialect known to other programs. */
export function addInstall(program: Command): void {
  const install = program.command('install').description('Make an agent known to other programs.');
  install.addHelpText('afterAll', EXAMPLES);
  install
    .command('nib-agent [name] [profile]')
    .description('Write nib-agent-NAME, which lets nib use the agent of a profile.')
    .option('--dir <dir>', 'where to put it (default: the first directory of PATH below your home)')
    .option('--force', 'also when another program of that name is there')
    .option('--list', 'print those that are there, and what they start')
    .option('--remove <name>', 'remove one')
    .action(async (name: string | undefined, profile: string | undefined, options: InstallOptions) => {
      if (options.list === true) return printBackends(options);
      if (options.remove !== undefined) return removeBackend(options.remove, options);
      if (name === undefined || profile === undefined) {
        throw new CommandFailure(
          'Say what to call the agent, and which profile it has: plugboard install nib-agent NAME PROFILE',
        );
      }
      await installBackend(name, profile, options);
    });
}

function readPath(): string {
  return process.env.PATH ?? '';
}

function directoryFor({ dir }: InstallOptions): string {
  return dir === undefined ? homeDirectory(readPath(), homedir()) : resolve(dir);
}

function printBackends({ dir }: InstallOptions): void {
  const places =
    dir === undefined ? [...new Set([...pathDirectories(readPath()), directoryFor({})])] : [resolve(dir)];
  for (const { file, command } of listShims(places)) process.stdout.write(`${file}: ${command}\n`);
}

function removeBackend(name: string, options: InstallOptions): void {
  const file = join(directoryFor(options), shimName(name));
  removeShim(file);
  process.stderr.write(`${file} was removed.\n`);
}

async function installBackend(name: string, profile: string, options: InstallOptions): Promise<void> {
  const program = shimName(name);
  // Read at install time, so that an invalid profile fails here and not when nib starts the agent.
  await profileIn(profile, { workspace: process.cwd() });
  const directory = directoryFor(options);
  ensureDirectory(directory);
  const file = join(directory, program);
  // `process.execPath` and the real path of this program: the PATH of the process that starts the shim may name other
  // versions.
  const self = [process.execPath, realpathSync(process.argv[1] ?? '')];
  writeShim(file, shimText([...self, 'serve', '--as', 'nib', realpathSync(profile)]), options.force === true);
  process.stdout.write(`${file}\n`);
  for (const line of [...listWarnings(directory, program), usageText(name)])
    process.stderr.write(`${line}\n`);
}

function usageText(name: string): string {
  return `Use it once with NIB_AGENT=${name} nib ct ask "…", or in a project with git config nib.agent ${name}.`;
}

/** Why nib would not find the program, or would find another. */
function listWarnings(directory: string, program: string): readonly string[] {
  const directories = pathDirectories(readPath());
  if (!directories.includes(directory))
    return [`${directory} is not on your PATH: add it, or nib will not find the agent.`];
  const first = directories.find((one) => existsSync(join(one, program)));
  if (first === undefined || first === directory) return [];
  return [`${join(first, program)} comes first on your PATH: nib will start that one.`];
}
