import type { Config } from '@plugboard/gateway';
import { reasonOf, terminalText } from '@plugboard/protocol';
import type { Command } from 'commander';
import type { CommandLine, Outcome } from '../command-line.ts';
import type { Finding } from '../doctor/check.ts';
import { loadConfig } from '../gateway/config.ts';
import { configFile, placeOf } from '../gateway/place.ts';
import { type Style, styleFor } from '../screen/style.ts';

interface DoctorOptions {
  readonly config?: string;
  readonly data?: string;
  readonly ask?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  plugboard doctor
  plugboard doctor --ask                                 and every agent has to answer
  plugboard doctor --json | jq '.[] | select(.state != "ok")'

Findings are ok, warn or fail. JSON is a list of { id, state, message, fix? }.`;

/** `plugboard doctor`: tries each part that the gateway needs and prints a finding for each. */
export function addDoctor(program: Command, _line: CommandLine, outcome: Outcome): void {
  program
    .command('doctor')
    .description(
      'Prove each piece that the gateway needs by trying it. Exit code 1 when something does not work.',
    )
    .option('-c, --config <file>', 'the configuration (default: plugboard.yaml here, if there is one)')
    .option('--data <dir>', 'the data directory of the gateway')
    .option('--ask', 'say hello to every agent; that may cost money')
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (options: DoctorOptions) => {
      const findings = await examineAll(options);
      if (options.json === true) process.stdout.write(`${JSON.stringify(findings)}\n`);
      outcome.exitCode = findings.some(({ state }) => state === 'fail') ? 1 : 0;
    });
}

async function examineAll(options: DoctorOptions): Promise<Finding[]> {
  const findings: Finding[] = [];
  const style = styleFor(process.stdout);
  for await (const finding of examineEach(options)) {
    findings.push(finding);
    if (options.json !== true) process.stdout.write(lineOf(finding, style));
  }
  return findings;
}

/** Stops after the `config` check when `loadConfig` throws: all further checks read the configuration. */
async function* examineEach(options: DoctorOptions): AsyncGenerator<Finding> {
  const place = placeOf(options.data);
  const file = configFile(options.config);
  const [
    { runChecks, createFailure, createOk, createWarning },
    { machineChecks },
    { agentChecks },
    { channelChecks },
  ] = await Promise.all([
    import('../doctor/check.ts'),
    import('../doctor/machine.ts'),
    import('../doctor/agents.ts'),
    import('../doctor/channels.ts'),
  ]);
  let config: Config;
  try {
    config = await loadConfig(file, place);
  } catch (error) {
    const message = reasonOf(error);
    yield {
      id: 'config',
      ...createFailure(message, 'Correct it; plugboard config check looks at it alone.'),
    };
    return;
  }
  yield {
    id: 'config',
    ...createOk(file === undefined ? 'There is none: the demo agents.' : `${file} is good.`),
  };
  for (const remark of config.remarks ?? [])
    yield { id: 'config', ...createWarning(remark, 'Nothing is wrong, but it may not be what was meant.') };
  yield* runChecks([
    ...machineChecks(config, place),
    ...channelChecks(config, place),
    ...agentChecks(config, options.ask === true),
  ]);
}

function lineOf({ id, state, message, fix }: Finding, style: Style): string {
  const mark = { ok: style.green('ok  '), warn: style.yellow('warn'), fail: style.red('fail') }[state];
  return `${mark}  ${id}: ${terminalText(message)}\n${fix === undefined ? '' : `      ${style.dim(terminalText(fix))}\n`}`;
}
