import { terminalText } from '@plugboard/protocol';
import type { Command } from 'commander';
import { loadConfig } from '../gateway/config.ts';
import { configFile, placeOf } from '../gateway/place.ts';

interface ConfigOptions {
  readonly config?: string;
  readonly data?: string;
}

const EXAMPLES = `
Examples:
  plugboard config check
  plugboard config show --config bots.yaml | grep -v default
  plugboard config schema > plugboard.schema.json`;

/** `plugboard config`: checks and prints the gateway's configuration, and its JSON Schema. */
export function addConfig(program: Command): void {
  const config = program.command('config').description("Look at the gateway's configuration.");
  config.addHelpText('afterAll', EXAMPLES);
  addPlaceOptions(
    config.command('check').description('Say whether it can be used; exit code 2 when it cannot.'),
  ).action(async (options: ConfigOptions) => {
    const file = configFile(options.config);
    const { remarks = [] } = await loadConfig(file, placeOf(options.data));
    for (const remark of remarks) process.stderr.write(`${terminalText(remark)}\n`);
    process.stderr.write(
      file === undefined ? 'There is no file; the defaults are good.\n' : `${file} is good.\n`,
    );
  });
  addPlaceOptions(
    config.command('show').description('Print every value with the place it comes from, and no secret.'),
  ).action(async (options: ConfigOptions) => {
    const { describeConfig } = await import('@plugboard/gateway');
    const read = await loadConfig(configFile(options.config), placeOf(options.data));
    process.stdout.write(describeConfig(read));
  });
  config
    .command('schema')
    .description('Print the JSON Schema by which editors complete and check the file.')
    .action(async () => {
      const { configSchema } = await import('@plugboard/gateway');
      process.stdout.write(`${JSON.stringify(configSchema(), undefined, 2)}\n`);
    });
}

function addPlaceOptions(command: Command): Command {
  return command
    .option('-c, --config <file>', 'the file (default: plugboard.yaml here, if there is one)')
    .option('--data <dir>', 'the data directory of the gateway');
}
