import { Command, CommanderError } from 'commander';
import { agents } from './commands/agents.ts';
import { type AfterScaffold, init } from './commands/init/init.ts';
import type { Env } from './env.ts';
import { messageOf, NibError } from './failure.ts';
import { shownOn } from './terminal/paint.ts';
import { VERSION } from './version.ts';

interface Group {
  readonly name: string;
  readonly alias: string;
  readonly description: string;
  /** Loaded when it is called for: most runs use one command. */
  readonly load: () => Promise<{ readonly addCommands: (group: Command, env: Env) => void }>;
}

const GROUPS: readonly Group[] = [
  {
    name: 'chapter',
    alias: 'ch',
    description: 'The chapters of the book.',
    load: () => import('./commands/chapter/group.ts'),
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
    load: () => import('./commands/profile/group.ts'),
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
    load: () => import('./commands/continuity/group.ts'),
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

/** The exit code for a command that does not exist, by which scripts tell it from one that failed. */
const UNKNOWN_COMMAND = 3;

/** What a program does beyond the commands themselves. */
export interface Hooks {
  readonly afterScaffold: AfterScaffold;
}

/** Without a backend, a project is ready as it is. */
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
    return report(env, error);
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
  init(program, env, hooks.afterScaffold);
  agents(program, env);
  return program;
}

function report(env: Env, error: unknown): number {
  if (error instanceof CommanderError) {
    if (error.code === 'commander.unknownCommand') return UNKNOWN_COMMAND;
    return error.exitCode === 0 ? 0 : 1;
  }
  env.err(shownOn(env, 'err', `error: ${messageOf(error)}\n`));
  return error instanceof NibError ? error.exitCode : 1;
}
