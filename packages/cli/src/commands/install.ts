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
      if (options.list === true) return list(options);
      if (options.remove !== undefined) return remove(options.remove, options);
      if (name === undefined || profile === undefined) {
        throw new CommandFailure(
          'Say what to call the agent, and which profile it has: plugboard install nib-agent NAME PROFILE',
        );
      }
      await put(name, profile, options);
    });
}

function path(): string {
  return process.env.PATH ?? '';
}

function directoryFor({ dir }: InstallOptions): string {
  return dir === undefined ? homeDirectory(path(), homedir()) : resolve(dir);
}

function list({ dir }: InstallOptions): void {
  const places =
    dir === undefined ? [...new Set([...pathDirectories(path()), directoryFor({})])] : [resolve(dir)];
  for (const { file, command } of listShims(places)) process.stdout.write(`${file}: ${command}\n`);
}

function remove(name: string, options: InstallOptions): void {
  const file = join(directoryFor(options), shimName(name));
  removeShim(file);
  process.stderr.write(`${file} was removed.\n`);
}

async function put(name: string, profile: string, options: InstallOptions): Promise<void> {
  const program = shimName(name);
  // Read now, so that what is wrong with it is said here and not in the middle of somebody's work.
  await profileIn(profile, { workspace: process.cwd() });
  const directory = directoryFor(options);
  ensureDirectory(directory);
  const file = join(directory, program);
  // This very Node and this very program: the ones on the PATH of whoever starts it may be others.
  const self = [process.execPath, realpathSync(process.argv[1] ?? '')];
  writeShim(file, shimText([...self, 'serve', '--as', 'nib', realpathSync(profile)]), options.force === true);
  process.stdout.write(`${file}\n`);
  for (const line of [...warnings(directory, program), usage(name)]) process.stderr.write(`${line}\n`);
}

function usage(name: string): string {
  return `Use it once with NIB_AGENT=${name} nib ct ask "…", or in a project with git config nib.agent ${name}.`;
}

/** Why nib would not find the program, or would find another. */
function warnings(directory: string, program: string): readonly string[] {
  const directories = pathDirectories(path());
  if (!directories.includes(directory))
    return [`${directory} is not on your PATH: add it, or nib will not find the agent.`];
  const first = directories.find((one) => existsSync(join(one, program)));
  if (first === undefined || first === directory) return [];
  return [`${join(first, program)} comes first on your PATH: nib will start that one.`];
}
