import { terminalText } from '@plugboard/protocol';
import type { Command } from 'commander';
import type { CommandLine, Outcome } from '../command-line.ts';
import { examineAgent, findInstalled, type InstalledAgent } from '../known-agents/find-installed.ts';
import { type Style, styleFor } from '../screen/style.ts';
import { quoteWord } from '../shell-word.ts';
import { demandKnownAgent } from '../target.ts';

interface AgentsOptions {
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  plugboard agents                          which are here, with version and login
  plugboard agents claude                   one of them
  plugboard run --agent claude -m hello     one turn with it
  plugboard init --agent claude             a gateway with it

A login is a file or a key that was seen; plugboard run --agent NAME -m hello proves it.
Exit code 1 when the agent that was named is not installed.`;

/** `plugboard agents`: the agents with a profile of ours, and which of them are installed. */
export function addAgents(program: Command, _line: CommandLine, outcome: Outcome): void {
  program
    .command('agents')
    .description('List the agents that Plugboard has a profile for, and which of them are on this machine.')
    .argument('[name]', 'one of them')
    .option('--json', 'print them as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (name: string | undefined, options: AgentsOptions) => {
      const found = name === undefined ? await findInstalled(process.env) : [await examineNamed(name)];
      if (name !== undefined && found[0]?.path === undefined) outcome.exitCode = 1;
      const text =
        options.json === true
          ? `${JSON.stringify(found.map(viewAgent), undefined, 2)}\n`
          : found.map((one) => textOf(one, styleFor(process.stdout))).join('');
      process.stdout.write(text);
    });
}

function examineNamed(name: string): Promise<InstalledAgent> {
  return examineAgent(demandKnownAgent(name), process.env);
}

function viewAgent({ agent, path, version, login }: InstalledAgent) {
  const { name, title, profile, install, logIn, closes } = agent;
  return {
    ...{ name, title, dialect: profile.dialect, command: profile.command, env: profile.env ?? {} },
    ...{ path: path ?? null, version: version ?? null, login: login ?? null, install, logIn, closes },
  };
}

function textOf({ agent, path, version, login }: InstalledAgent, style: Style): string {
  const { name, title, profile, install, logIn, closes } = agent;
  const command = `${profile.command.map(quoteWord).join(' ')}  (${profile.dialect})`;
  const state =
    path === undefined
      ? style.dim('not installed')
      : terminalText(version ?? 'installed, but it does not answer --version');
  const rest =
    path === undefined
      ? [`install: ${install}`]
      : [login === undefined ? `login: none seen. ${logIn}` : `login: ${login}`, closes];
  return `${name}: ${title}, ${state}\n${[command, ...rest].map((line) => `  ${line}\n`).join('')}`;
}
