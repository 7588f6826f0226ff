import { homedir } from 'node:os';
import { join } from 'node:path';
import { MemoryError } from './database/error.ts';
import { ModelError } from './model/error.ts';
import { RuleError } from './policy/rule.ts';
import { type Args, readArgs, UsageError } from './program/args.ts';
import type { Settings } from './program/settings.ts';
import { VERSION } from './version.ts';

/** Runs the command line and ends the process with its exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  try {
    process.exitCode = await run(readArgs(argv));
  } catch (error) {
    process.stderr.write(`nuum: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = exitCodeOf(error);
    if (process.exitCode === 70 && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  }
}

/** 2 for what the command line or the configuration got wrong, 1 for a memory that cannot be had, 70 for a fault of ours. */
function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError || error instanceof RuleError || error instanceof ModelError) return 2;
  return error instanceof MemoryError ? 1 : 70;
}

async function run(args: Args): Promise<number> {
  if (args.command === 'version') {
    process.stdout.write(`${VERSION}\n`);
    return 0;
  }
  if (args.command === 'help') {
    process.stdout.write((await import('./program/help.ts')).HELP);
    return 0;
  }
  const { settle } = await import('./program/settings.ts');
  const settings = await settle(args.options, {
    environment: process.env,
    cwd: process.cwd(),
    home: homedir(),
  });
  if (args.command === 'memory' || args.command === 'inspect') return lookInto(args, settings);
  return answer(args, settings);
}

async function lookInto(args: Args, settings: Settings): Promise<number> {
  const { memoryCommand } = await import('./program/memory-command.ts');
  const words = args.command === 'inspect' ? ['inspect'] : args.rest;
  return memoryCommand(words, settings.db, args.options, {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    ...(process.stdin.isTTY ? { input: process.stdin } : {}),
  });
}

/** How long an agent that is started for one turn waits for the one before it to give the memory back. */
const PATIENCE_MS = 30_000;

async function answer(args: Args, settings: Settings): Promise<number> {
  const { openNuum } = await import('./program/agent.ts');
  const stays = args.command === 'stdio';
  const open = await openNuum(settings, {
    environment: ownEnvironment(),
    log: (text) => void process.stderr.write(`${text}\n`),
    patienceMs: stays || isTerminal(args) ? 0 : PATIENCE_MS,
  });
  if (args.command === 'prompt') return answerPrompt(args, open);
  if (isTerminal(args)) return talkHere(open);
  const { serveHost } = await import('./program/stdio.ts');
  return serveHost(open, settings, stays ? 'nuum' : undefined);
}

type Open = Awaited<ReturnType<typeof import('./program/agent.ts').openNuum>>;

/** Whether a person is there, and no host that has left its request in the environment. */
function isTerminal({ command }: Args): boolean {
  const { AGENT_MESSAGE, NIB_AGENT_REQUEST_FILE } = process.env;
  return command === 'talk' && process.stdin.isTTY && AGENT_MESSAGE === undefined && !NIB_AGENT_REQUEST_FILE;
}

async function answerPrompt({ prompt, json, options }: Args, open: Open): Promise<number> {
  const { answerOnce } = await import('./program/once.ts');
  const controller = new AbortController();
  let ended = 130;
  const end = (code: number) => (): void => {
    ended = code;
    controller.abort(new Error('The agent was asked to end.'));
  };
  process.once('SIGINT', end(130)).once('SIGTERM', end(143));
  const streams = {
    out: (text: string) => void process.stdout.write(text),
    err: (text: string) => void process.stderr.write(text),
  };
  try {
    return await answerOnce(open, prompt, { json, quiet: options.quiet }, streams, controller.signal);
  } catch (error) {
    if (!controller.signal.aborted) throw error;
    return ended;
  } finally {
    await open.nuum.close();
  }
}

async function talkHere(open: Open): Promise<number> {
  const { talk } = await import('./program/repl.ts');
  const { XDG_STATE_HOME, NO_COLOR } = process.env;
  const state = XDG_STATE_HOME || join(homedir(), '.local', 'state');
  await talk(open, {
    input: process.stdin,
    output: process.stdout,
    colour: process.stdout.isTTY && !NO_COLOR,
    historyFile: join(state, 'nuum', 'history'),
  });
  await open.nuum.close();
  return 0;
}

/** The variables in which a host has put a turn, and the keys of our own model: a command could send them anywhere. */
const NOT_PASSED_ON = /^(AGENT_.*|NIB_AGENT_REQUEST_FILE|NUUM_API_KEY|ANTHROPIC_API_KEY|OPENAI_API_KEY)$/;

/** What programs are started with. */
function ownEnvironment(): Record<string, string> {
  const own = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !NOT_PASSED_ON.test(entry[0]),
  );
  return Object.fromEntries(own);
}
