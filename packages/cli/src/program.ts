import { ProfileError } from '@plugboard/host';
import { terminalText } from '@plugboard/protocol';
import { Command, CommanderError } from 'commander';
import { type CommandLine, type Outcome, splitCommandLine } from './command-line.ts';
import { addAgents } from './commands/agents.ts';
import { addChannel } from './commands/channel.ts';
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
import { addNodes } from './commands/nodes.ts';
import { addPair } from './commands/pair.ts';
import { addReplay } from './commands/replay.ts';
import { addRun } from './commands/run.ts';
import { addServe } from './commands/serve.ts';
import { addToken } from './commands/token.ts';
import { addUp } from './commands/up.ts';
import { CommandFailure } from './failure.ts';
import { demandSeparator } from './forgotten.ts';
import { demandTopic, unifyUsageErrors } from './usage.ts';
import { VERSION } from './version.ts';

const EXAMPLES = `
Examples:
  plugboard up                                           the gateway: a web page, HTTP and channels
  plugboard chat --demo                                  talk to the agent that comes with plugboard
  plugboard run --dialect terminal -m hi -- ./agent.py   one turn with an agent of yours
  plugboard run profile.yaml -m hi --session work        the same, from a profile, in a lasting session
  plugboard serve --as nuum profile.yaml                 let that agent answer a host that speaks Nuum
  plugboard check --dialect agentproc -- ./agent.sh      see whether it keeps to the protocol
  plugboard run --agent claude -m hi                     the same with Claude Code, if it is installed
  plugboard agents                                       which known agents are on this machine
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
    return reportError(error);
  }
}

function createProgram(line: CommandLine, outcome: Outcome): Command {
  const program = new Command('plugboard')
    .description(
      'Any command-line agent in any host: nib, AgentProc, Terminal Protocol v1, Nuum and ACP on both sides; Claude Code and Codex.',
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
    addAgents,
    addInit,
    addInstall,
    addDoctor,
    addLogin,
    addToken,
    addChannel,
    addNodes,
    addPair,
    addDeliveries,
    addConfig,
    addDb,
  ]) {
    add(program, line, outcome);
  }
  unifyUsageErrors(program, line);
  return program;
}

function reportError(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof CommandFailure) return printFailure(error.message, error.exitCode);
  if (error instanceof ProfileError || isConfigError(error))
    return printFailure(error.problems.join('\nplugboard: '), 2);
  const text = error instanceof Error ? error.message : String(error);
  return printFailure(text, 1);
}

/** Compares `code` instead of using `instanceof`, which would load the class for every command. */
function isConfigError(error: unknown): error is Error & { readonly problems: readonly string[] } {
  return error instanceof Error && 'code' in error && error.code === 'config' && 'problems' in error;
}

function printFailure(message: string, exitCode: number): number {
  process.stderr.write(`plugboard: ${terminalText(message)}\n`);
  return exitCode;
}
