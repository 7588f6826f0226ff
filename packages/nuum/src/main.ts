import { join } from 'node:path';
import { terminalText } from '@plugboard/protocol';
import { MemoryError } from './database/error.ts';
import { ModelError } from './model/error.ts';
import { RuleError } from './policy/rule.ts';
import { type Args, readArgs, UsageError } from './program/args.ts';
import { homeDirectory } from './program/home.ts';
import type { Settings } from './program/settings.ts';
import { VERSION } from './version.ts';

/** Runs the command line and ends the process with its exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  try {
    process.exitCode = await run(readArgs(argv));
  } catch (error) {
    tell(`nuum: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = exitCodeOf(error);
    if (process.exitCode === 70 && error instanceof Error) tell(`${error.stack}\n`);
  }
}

let operator: NodeJS.WriteStream | undefined;

/** For the operator, whose end of it may be closed: that must not end the agent. */
function tell(text: string): void {
  operator ??= process.stderr.on('error', () => {});
  operator.write(operator.isTTY ? terminalText(text) : text);
}

/** For whoever reads the answer; when nobody does any more, as behind `head`, there is nothing left to do. */
function print(text: string): void {
  if (process.stdout.listenerCount('error') === 0) process.stdout.on('error', () => process.exit(0));
  process.stdout.write(process.stdout.isTTY ? terminalText(text) : text);
}

/** 2 for what the command line or the configuration got wrong, 1 for a memory that cannot be had, 70 for a fault of ours. */
function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError || error instanceof RuleError || error instanceof ModelError) return 2;
  return error instanceof MemoryError ? 1 : 70;
}

async function run(args: Args): Promise<number> {
  if (args.command === 'version') {
    print(`${VERSION}\n`);
    return 0;
  }
  if (args.command === 'help') {
    print((await import('./program/help.ts')).HELP);
    return 0;
  }
  const { settle } = await import('./program/settings.ts');
  const settings = await settle(args.options, {
    environment: process.env,
    cwd: process.cwd(),
    home: homeDirectory(),
  });
  if (args.command === 'memory' || args.command === 'inspect') return lookInto(args, settings);
  return answer(args, settings);
}

async function lookInto(args: Args, settings: Settings): Promise<number> {
  const { memoryCommand } = await import('./program/memory-command.ts');
  const words = args.command === 'inspect' ? ['inspect'] : args.rest;
  return memoryCommand(words, settings.db, args.options, {
    out: print,
    err: tell,
    ...(process.stdin.isTTY ? { input: process.stdin } : {}),
  });
}

/** How long an agent that is started for one turn waits for the one before it to give the memory back. */
const PATIENCE_MS = 30_000;

async function answer(args: Args, settings: Settings): Promise<number> {
  const { openNuum } = await import('./program/agent.ts');
  const stays = args.command === 'stdio' || isTerminal(args);
  // Not for a host of one turn, which may show it to whoever it talks to.
  if (stays || args.command === 'prompt') {
    const { warningsAbout } = await import('./program/warnings.ts');
    for (const text of warningsAbout(settings.policy)) tell(`${text}\n`);
  }
  const prompt = args.command === 'prompt' ? await promptWithInput(args) : '';
  const open = await openNuum(settings, {
    environment: ownEnvironment(),
    log: (text) => tell(`${text}\n`),
    stays,
    patienceMs: stays ? 0 : PATIENCE_MS,
  });
  if (args.command === 'prompt') return answerPrompt({ ...args, prompt }, open);
  if (isTerminal(args)) return talkHere(open);
  const { serveHost } = await import('./program/stdio.ts');
  return serveHost(open, settings, args.command === 'stdio' ? 'nuum' : undefined);
}

type Open = Awaited<ReturnType<typeof import('./program/agent.ts').openNuum>>;

/** Whether a person is there, and no host that has left its request in the environment. */
function isTerminal({ command }: Args): boolean {
  const { AGENT_MESSAGE, NIB_AGENT_REQUEST_FILE } = process.env;
  return command === 'talk' && process.stdin.isTTY && AGENT_MESSAGE === undefined && !NIB_AGENT_REQUEST_FILE;
}

/** `cat FILE | nuum -p QUESTION`: what is piped in follows the question. Read before the memory is opened, and held. */
async function promptWithInput({ prompt }: Args): Promise<string> {
  const { readPipedInput } = await import('./program/piped-input.ts');
  const piped = await readPipedInput(process.stdin, tell);
  return [prompt, piped ?? ''].filter((text) => text.trim() !== '').join('\n\n');
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
  try {
    return await answerOnce(
      open,
      prompt,
      { json, quiet: options.quiet },
      { out: print, err: tell },
      controller.signal,
    );
  } catch (error) {
    if (!controller.signal.aborted) throw error;
    return ended;
  } finally {
    await open.nuum.close();
  }
}

async function talkHere(open: Open): Promise<number> {
  const { talk } = await import('./program/repl.ts');
  const { placeOf } = await import('./program/settings.ts');
  const { XDG_STATE_HOME, NO_COLOR } = process.env;
  const state = placeOf(XDG_STATE_HOME, join(homeDirectory(), '.local', 'state'));
  const leaving = new AbortController();
  let code = 0;
  const end = (ended: number) => (): void => {
    code = ended;
    leaving.abort();
  };
  // The terminal may be closed under us: what was started must not outlive it.
  process.once('SIGTERM', end(143)).once('SIGHUP', end(129));
  await talk(open, {
    input: process.stdin,
    output: process.stdout,
    colour: process.stdout.isTTY && !NO_COLOR,
    historyFile: join(state, 'nuum', 'history'),
    leaving: leaving.signal,
  });
  await open.nuum.close();
  return code;
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
