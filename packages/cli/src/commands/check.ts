import type { Report } from '@plugboard/check';
import { type DialectName, dialects } from '@plugboard/protocol';
import type { Command } from 'commander';
import type { CommandLine, Outcome } from '../command-line.ts';
import { CommandFailure } from '../failure.ts';
import { demandProgram } from '../program-there.ts';
import { absoluteWords } from '../project-root.ts';
import { createSpinner } from '../screen/spinner.ts';
import { styleFor } from '../screen/style.ts';
import { watchInterruption } from '../signals.ts';
import { collectValues, dialectOf } from '../target.ts';

interface CheckOptions {
  readonly dialect?: string;
  readonly host?: boolean;
  readonly json?: boolean;
  readonly strict?: boolean;
  readonly list?: boolean;
  readonly only?: readonly string[];
  readonly timeout?: string;
}

const EXAMPLES = `
Examples:
  plugboard check --dialect terminal -- python3 agent.py
  plugboard check --dialect nuum --only nuum/init -- ./agent --stdio
  plugboard check --dialect nib --strict --json -- nib-agent-local
  plugboard check --dialect terminal --list
  plugboard check --host --dialect terminal -- plugboard run --dialect terminal -m {message} -- {agent}

With --host, {agent} stands for an agent that plays each case, {message} for what the user says, {session} for the
name of a conversation and {timeout} for seconds; cases that need a word which the command lacks are skipped. A nib
host finds the agent by NIB_AGENT.

Exit codes: 0 it conforms, 1 it breaks a rule (with --strict: or a recommendation), 2 wrong usage,
126 the command cannot be executed, 127 it is not found.`;

/** `plugboard check`: does an agent, or a host, keep to its protocol? */
export function addCheck(program: Command, line: CommandLine, outcome: Outcome): void {
  program
    .command('check')
    .description('See whether an agent or a host keeps to its protocol.')
    .option('-d, --dialect <name>', 'the dialect it is to speak')
    .option('--host', 'the command is a host, and is given agents of ours')
    .option('--only <id>', 'a case, or the beginning of its name (repeatable)', collectValues)
    .option('--timeout <seconds>', 'how long one answer may take (default: 30; a host: 10)')
    .option('--strict', 'recommendations count as rules')
    .option('--list', 'print the cases and run none')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (options: CheckOptions) => {
      if (options.list === true && options.dialect === undefined)
        throw new CommandFailure('Say with --dialect NAME whose cases to list.');
      const dialect = dialectOf(options.dialect);
      if (options.list === true) return printCases(dialect, options);
      const interruption = watchInterruption(() => {});
      const report = await runCheck(dialect, options, line.agentCommand, interruption.signal);
      interruption.dispose();
      if (interruption.exitCode !== undefined) {
        outcome.exitCode = interruption.exitCode;
        return;
      }
      if (report.cases.length === 0) throw new CommandFailure(noCase(dialect, options));
      const { formatReport } = await loadKit();
      process.stdout.write(
        options.json === true
          ? `${JSON.stringify(report)}\n`
          : formatReport(report, styleFor(process.stdout)),
      );
      outcome.exitCode = report.conforms && (options.strict !== true || report.failed === 0) ? 0 : 1;
    });
}

function noCase(dialect: DialectName, { only }: CheckOptions): string {
  return only === undefined
    ? `There are no cases for agents of ${dialect}. plugboard check --host --dialect ${dialect} tries a host of it.`
    : `There is no case ${only.join(', ')}; --list shows what there is.`;
}

/** Imported lazily: `@plugboard/check` would slow the start of the commands that do not use it. */
const loadKit = () => import('@plugboard/check');

async function printCases(dialect: DialectName, options: CheckOptions): Promise<void> {
  const { listAgentCases, listHostCases } = await loadKit();
  const cases = options.host === true ? listHostCases(dialect) : listAgentCases(dialect);
  const { only } = options;
  const chosen = cases
    .filter(({ id }) => only === undefined || only.some((prefix) => id.startsWith(prefix)))
    .map(({ id, level, title }) => ({ id, level, title }));
  const lines =
    options.json === true
      ? [JSON.stringify(chosen)]
      : chosen.map(({ id, level, title }) => `${id} (${level}): ${title}`);
  process.stdout.write(`${lines.join('\n')}\n`);
}

async function runCheck(
  dialect: DialectName,
  options: CheckOptions,
  command: readonly string[],
  signal: AbortSignal,
): Promise<Report> {
  if (command.length === 0) {
    throw new CommandFailure('Give the command after --: plugboard check --dialect terminal -- ./agent');
  }
  const { startsInProject } = dialects[dialect];
  if (
    options.host === true &&
    startsInProject !== true &&
    !command.some((word) => word.includes('{agent}'))
  ) {
    throw new CommandFailure('Say with {agent} where the command of the host takes its agent.');
  }
  await demandProgram(command);
  const { checkAgent, checkHost } = await loadKit();
  const spinner = createSpinner(process.stderr);
  const common = {
    dialect,
    environment: process.env,
    workspace: process.cwd(),
    ...(options.only === undefined ? {} : { only: options.only }),
    signal,
    onResult: ({ id }: { id: string }) => spinner.show(id),
    ...timeoutOf(options),
  };
  spinner.show('starting');
  try {
    return await (options.host === true
      ? checkHost({ hostCommand: absoluteWords(command, process.cwd()), ...common })
      : checkAgent(startsInProject ? absoluteWords(command, process.cwd()) : command, common));
  } finally {
    spinner.hide();
  }
}

function timeoutOf({ timeout }: CheckOptions): { timeoutSecs?: number } {
  if (timeout === undefined) return {};
  const timeoutSecs = Number(timeout);
  if (!(timeoutSecs > 0)) throw new CommandFailure(`--timeout ${timeout}: give a number of seconds.`);
  return { timeoutSecs };
}
