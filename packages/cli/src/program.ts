import { ProfileError } from '@plugboard/host';
import { terminalText } from '@plugboard/protocol';
import { Command, CommanderError } from 'commander';
import { addChat } from './commands/chat.ts';
import { addCheck } from './commands/check.ts';
import { addConfig } from './commands/config.ts';
import { addDb } from './commands/db.ts';
import { addDeliveries } from './commands/deliveries.ts';
import { addDetect } from './commands/detect.ts';
import { addDoctor } from './commands/doctor.ts';
import { addInit } from './commands/init.ts';
import { addInstall } from './commands/install.ts';
import { addLogin } from './commands/login.ts';
import { addReplay } from './commands/replay.ts';
import { addRun } from './commands/run.ts';
import { addServe } from './commands/serve.ts';
import { addToken } from './commands/token.ts';
import { addUp } from './commands/up.ts';
import { CommandFailure } from './failure.ts';
import { demandSeparator } from './forgotten.ts';
import { demandTopic, speakAlike } from './usage.ts';
import { VERSION } from './version.ts';

/** What stands before `--` is ours, what stands after it is the agent's command. */
export interface CommandLine {
  readonly own: readonly string[];
  readonly agentCommand: readonly string[];
}

/** Where an action leaves the exit code it has earned. */
export interface Outcome {
  exitCode: number;
}

const EXAMPLES = `
Examples:
  plugboard up                                           the gateway: a web page, HTTP and channels
  plugboard chat --demo                                  talk to the agent that comes with plugboard
  plugboard run --dialect terminal -m hi -- ./agent.py   one turn with an agent of yours
  plugboard run profile.yaml -m hi --session work        the same, from a profile, in a lasting session
  plugboard serve --as nuum profile.yaml                 let that agent answer a host that speaks Nuum
  plugboard check --dialect agentproc -- ./agent.sh      see whether it keeps to the protocol
  plugboard detect -- ./agent                            find out which dialect a program speaks`;

/** Runs one command; resolves to the exit code and never throws. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  const line = splitCommandLine(argv);
  const outcome: Outcome = { exitCode: 0 };
  try {
    const program = createProgram(line, outcome);
    demandTopic(program, line.own);
    await program.parseAsync(line.own, { from: 'user' });
    return outcome.exitCode;
  } catch (error) {
    return report(error);
  }
}

function createProgram(line: CommandLine, outcome: Outcome): Command {
  const program = new Command('plugboard')
    .description(
      'Any command-line agent in any host: nib, AgentProc, Terminal Protocol v1 and Nuum, on both sides.',
    )
    .version(VERSION, '-V, --version')
    .addHelpText('after', EXAMPLES)
    .showSuggestionAfterError()
    .hook('preAction', (_program, command) => demandSeparator(command, line));
  for (const add of [
    addUp,
    addRun,
    addChat,
    addServe,
    addCheck,
    addReplay,
    addDetect,
    addInit,
    addInstall,
    addDoctor,
    addLogin,
    addToken,
    addDeliveries,
    addConfig,
    addDb,
  ]) {
    add(program, line, outcome);
  }
  speakAlike(program, line);
  return program;
}

function splitCommandLine(argv: readonly string[]): CommandLine {
  const at = argv.indexOf('--');
  return at === -1
    ? { own: argv, agentCommand: [] }
    : { own: argv.slice(0, at), agentCommand: argv.slice(at + 1) };
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof CommandFailure) return say(error.message, error.exitCode);
  if (error instanceof ProfileError || isConfigError(error))
    return say(error.problems.join('\nplugboard: '), 2);
  const text = error instanceof Error ? error.message : String(error);
  return say(text, 1);
}

/** By its code: the class would have to be loaded for every command. */
function isConfigError(error: unknown): error is Error & { readonly problems: readonly string[] } {
  return error instanceof Error && 'code' in error && error.code === 'config' && 'problems' in error;
}

function say(message: string, exitCode: number): number {
  process.stderr.write(`plugboard: ${terminalText(message)}\n`);
  return exitCode;
}
