import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { ModelError } from '@plugboard/llm';
import { terminalText } from '@plugboard/protocol';
import { MemoryError } from './database/error.ts';
import { RuleError } from './policy/rule.ts';
import { type Args, readArgs, UsageError } from './program/args.ts';
import type { Settings } from './program/settings.ts';
import { VERSION } from './version.ts';

export async function main(argv: readonly string[]): Promise<void> {
  try {
    process.exitCode = await runCommand(readArgs(argv));
  } catch (error) {
    writeError(`nuum: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = exitCodeOf(error);
    if (process.exitCode === 70 && error instanceof Error) writeError(`${error.stack}\n`);
  }
}

let operator: NodeJS.WriteStream | undefined;

/** Writes to stderr. Its reader may have gone, which must not end the agent. */
function writeError(text: string): void {
  operator ??= process.stderr.on('error', () => {});
  operator.write(operator.isTTY ? terminalText(text) : text);
}

/** Writes to stdout. A write error ends the process, with exit code 0 for EPIPE, as behind `head`, and 1 otherwise. */
function writeOutput(text: string): void {
  if (process.stdout.listenerCount('error') === 0) process.stdout.on('error', endWithoutOutput);
  process.stdout.write(process.stdout.isTTY ? terminalText(text) : text);
}

function endWithoutOutput(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  writeError(`nuum: the output cannot be written: ${error.message}\n`);
  process.exit(1);
}

/** 2 for errors of the command line or the configuration, 1 for a memory that cannot be opened, 70 for defects. */
function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError || error instanceof RuleError || error instanceof ModelError) return 2;
  return error instanceof MemoryError ? 1 : 70;
}

async function runCommand(args: Args): Promise<number> {
  if (args.command === 'version') {
    writeOutput(`${VERSION}\n`);
    return 0;
  }
  if (args.command === 'help') {
    writeOutput((await import('./program/help.ts')).HELP);
    return 0;
  }
  const { readSettings } = await import('./program/settings.ts');
  const settings = await readSettings(args.options, {
    environment: process.env,
    cwd: process.cwd(),
    home: homeDirectory(),
  });
  if (args.command === 'memory' || args.command === 'inspect') return runMemoryCommand(args, settings);
  return startAgent(args, settings);
}

async function runMemoryCommand(args: Args, settings: Settings): Promise<number> {
  const { memoryCommand } = await import('./program/memory-command.ts');
  const words = args.command === 'inspect' ? ['inspect'] : args.rest;
  return memoryCommand(words, settings.db, args.options, {
    out: writeOutput,
    err: writeError,
    ...(process.stdin.isTTY ? { input: process.stdin } : {}),
  });
}

/** How long a process of one turn waits for the lock that the process of the turn before still holds. */
const PATIENCE_MS = 30_000;

async function startAgent(args: Args, settings: Settings): Promise<number> {
  const { openNuum } = await import('./program/agent.ts');
  const stays = args.command === 'stdio' || isTerminal(args);
  // Not for a host of one turn, which may show stderr to its user.
  if (stays || args.command === 'prompt') {
    const { warningsAbout } = await import('./program/warnings.ts');
    for (const text of warningsAbout(settings.policy)) writeError(`${text}\n`);
  }
  const prompt = args.command === 'prompt' ? await promptWithInput(args) : '';
  const open = await openNuum(settings, {
    environment: ownEnvironment(),
    log: (text) => writeError(`${text}\n`),
    stays,
    patienceMs: stays ? 0 : PATIENCE_MS,
  });
  if (args.command === 'prompt') return answerPrompt({ ...args, prompt }, open);
  if (isTerminal(args)) return talkAtTerminal(open);
  const { serveHost } = await import('./program/stdio.ts');
  return serveHost(open, settings, args.command === 'stdio' ? 'nuum' : undefined);
}

type Open = Awaited<ReturnType<typeof import('./program/agent.ts').openNuum>>;

/** Whether a user sits at the terminal. Hosts of one turn leave their request in the environment. */
function isTerminal({ command }: Args): boolean {
  const { AGENT_MESSAGE, NIB_AGENT_REQUEST_FILE } = process.env;
  return command === 'talk' && process.stdin.isTTY && AGENT_MESSAGE === undefined && !NIB_AGENT_REQUEST_FILE;
}

/** `cat FILE | nuum -p QUESTION`: the text of stdin follows the prompt. It is read before the memory is locked. */
async function promptWithInput({ prompt }: Args): Promise<string> {
  const { readPipedInput } = await import('./program/piped-input.ts');
  const piped = await readPipedInput(process.stdin, writeError);
  return [prompt, piped ?? ''].filter((text) => text.trim() !== '').join('\n\n');
}

async function answerPrompt({ prompt, json, options }: Args, open: Open): Promise<number> {
  const { answerOnce } = await import('./program/answer-once.ts');
  const controller = new AbortController();
  let ended = 130;
  const end = (code: number) => (): void => {
    ended = code;
    controller.abort(new Error('The agent was asked to end.'));
  };
  process.once('SIGINT', end(130)).once('SIGTERM', end(143));
  try {
    return await answerOnce(
      open,
      prompt,
      { json, quiet: options.quiet },
      { out: writeOutput, err: writeError },
      controller.signal,
    );
  } catch (error) {
    if (!controller.signal.aborted) throw error;
    return ended;
  } finally {
    await open.nuum.close();
  }
}

async function talkAtTerminal(open: Open): Promise<number> {
  const { runConversation } = await import('./program/repl.ts');
  const { placeOf } = await import('./program/settings.ts');
  const { XDG_STATE_HOME, NO_COLOR } = process.env;
  const state = placeOf(XDG_STATE_HOME, join(homeDirectory(), '.local', 'state'));
  const leaving = new AbortController();
  let code = 0;
  const end = (ended: number) => (): void => {
    code = ended;
    leaving.abort();
  };
  // SIGHUP: a closed terminal must not leave the agent and its programs running.
  process.once('SIGTERM', end(143)).once('SIGHUP', end(129));
  await runConversation(open, {
    input: process.stdin,
    output: process.stdout,
    colour: process.stdout.isTTY && !NO_COLOR,
    historyFile: join(state, 'nuum', 'history'),
    leaving: leaving.signal,
  });
  await open.nuum.close();
  return code;
}

/** Variables with the turn of a host, and the API keys of nuum: a command could send them anywhere. */
const NOT_PASSED_ON = /^(AGENT_.*|NIB_AGENT_REQUEST_FILE|NUUM_API_KEY|ANTHROPIC_API_KEY|OPENAI_API_KEY)$/;

/** The environment of programs that tools start. */
function ownEnvironment(): Record<string, string> {
  const own = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !NOT_PASSED_ON.test(entry[0]),
  );
  return Object.fromEntries(own);
}

/**
 * The home directory of the user. `HOME` may be empty or relative, and a container may have neither it nor a user
 * entry: then `/`.
 */
function homeDirectory(): string {
  for (const look of [homedir, () => userInfo().homedir]) {
    try {
      const home = look();
      if (isAbsolute(home)) return home;
    } catch {
      // `userInfo` throws for a user id without an entry.
    }
  }
  return '/';
}
