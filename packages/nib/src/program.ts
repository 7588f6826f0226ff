import { Command, CommanderError } from 'commander';
import { registerAgents } from './commands/agents.ts';
import { type AfterScaffold, registerInit } from './commands/init/init.ts';
import type { Env } from './env.ts';
import { formatError, NibError } from './nib-error.ts';
import { escapeForTerminal } from './terminal/colours.ts';
import { VERSION } from './version.ts';

interface CommandGroup {
  readonly name: string;
  readonly alias: string;
  readonly description: string;
  /** Imports the group's module only if the command line names it: most runs use one command. */
  readonly load: () => Promise<{ readonly addCommands: (group: Command, env: Env) => void }>;
}

const GROUPS: readonly CommandGroup[] = [
  {
    name: 'chapter',
    alias: 'ch',
    description: 'The chapters of the book.',
    load: () => import('./commands/chapter.ts'),
  },
  {
    name: 'scene',
    alias: 'sc',
    description: 'The scenes of the chapters.',
    load: () => import('./commands/scene/group.ts'),
  },
  {
    name: 'profile',
    alias: 'pr',
    description: 'The profiles of the characters.',
    load: () => import('./commands/profile.ts'),
  },
  {
    name: 'manuscript',
    alias: 'ma',
    description: 'The manuscript as a whole.',
    load: () => import('./commands/manuscript/group.ts'),
  },
  {
    name: 'continuity',
    alias: 'ct',
    description: 'What the index knows of the story.',
    load: () => import('./commands/continuity.ts'),
  },
];

const EXAMPLES = `
Ranges: 3 (a chapter), 3.2 (a scene), 1-5, 1.1-3.2, 1,3,5 and 1.1,2.3.

Examples:
  nib init my-novel                  a new project
  nib sc add 1 opening               a scene, then nib sc edit
  nib ma toc                         what the book has, with references
  nib ct recap 1-3 --pretty          what the index knows of chapters 1 to 3
  nib ma proof 3.2                   have a scene proofread
  nib ct index 1-3                   have scenes read into the index`;

/** Exit code of an unknown command; scripts tell it from 1, a failed command. */
const UNKNOWN_COMMAND = 3;

/** Actions of a program around its commands. */
export interface Hooks {
  readonly afterScaffold: AfterScaffold;
}

/** Without a backend no files are added to a new project. */
const NO_HOOKS: Hooks = { afterScaffold: async () => {} };

/** Runs one command line; resolves to the exit code and never throws. */
export async function runProgram(
  argv: readonly string[],
  env: Env,
  hooks: Hooks = NO_HOOKS,
): Promise<number> {
  try {
    const program = await createProgram(argv, env, hooks);
    await program.parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    return reportError(env, error);
  }
}

async function createProgram(argv: readonly string[], env: Env, hooks: Hooks): Promise<Command> {
  const program = new Command('nib')
    .description('Help for novelists on their manuscript.')
    .version(VERSION, '-V, --version')
    .option('--pretty', 'indent JSON')
    .configureOutput({ writeOut: env.out, writeErr: env.err })
    .addHelpText('after', EXAMPLES)
    .showSuggestionAfterError()
    .showHelpAfterError()
    .exitOverride();
  for (const { name, alias, description, load } of GROUPS) {
    const group = program.command(name).alias(alias).description(description);
    if (argv.includes(name) || argv.includes(alias)) (await load()).addCommands(group, env);
  }
  registerInit(program, env, hooks.afterScaffold);
  registerAgents(program, env);
  return program;
}

function reportError(env: Env, error: unknown): number {
  if (error instanceof CommanderError) {
    if (error.code === 'commander.unknownCommand') return UNKNOWN_COMMAND;
    return error.exitCode === 0 ? 0 : 1;
  }
  env.err(escapeForTerminal(env, 'err', `error: ${formatError(error)}\n`));
  return error instanceof NibError ? error.exitCode : 1;
}
