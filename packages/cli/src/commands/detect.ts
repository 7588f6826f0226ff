import { terminalText } from '@plugboard/protocol';
import type { Command } from 'commander';
import type { CommandLine, Outcome } from '../command-line.ts';
import { CommandFailure } from '../failure.ts';
import { demandProgram } from '../program-there.ts';
import { watchInterruption } from '../signals.ts';

const EXAMPLES = `
Examples:
  plugboard detect -- ./my-agent
  plugboard detect --json -- python3 agent.py

The program is started once for each dialect and given a harmless question in it.`;

/** `plugboard detect`: which dialect does this command speak? */
export function addDetect(program: Command, line: CommandLine, outcome: Outcome): void {
  program
    .command('detect')
    .description('Find out which dialect a command speaks.')
    .option('--json', 'print what was found as JSON')
    .option('--timeout <seconds>', 'how long to wait for each answer', '5')
    .addHelpText('after', EXAMPLES)
    .action(async (options: { json?: boolean; timeout: string }) => {
      if (line.agentCommand.length === 0)
        throw new CommandFailure('Give the command after --: plugboard detect -- ./agent');
      const timeoutSecs = Number(options.timeout);
      if (!(timeoutSecs > 0))
        throw new CommandFailure(`--timeout ${options.timeout}: give a number of seconds.`);
      await demandProgram(line.agentCommand);
      const interruption = watchInterruption(() => {});
      // Imported lazily: `@plugboard/check` would slow the start of the commands that do not use it.
      const { detectDialect } = await import('@plugboard/check');
      const found = await detectDialect(line.agentCommand, {
        environment: process.env,
        timeoutSecs,
        workspace: process.cwd(),
        signal: interruption.signal,
      });
      interruption.dispose();
      if (interruption.exitCode !== undefined) {
        outcome.exitCode = interruption.exitCode;
        return;
      }
      const best = found[0];
      if (options.json === true)
        process.stdout.write(`${JSON.stringify({ dialect: best?.dialect ?? null, found })}\n`);
      else if (best !== undefined) process.stdout.write(`${best.dialect}\n`);
      for (const { dialect, why } of options.json === true ? [] : found)
        process.stderr.write(`${dialect}: ${terminalText(why)}\n`);
      if (best === undefined) throw new CommandFailure('It answered in none of the dialects.', 1);
    });
}
