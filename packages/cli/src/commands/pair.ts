import { terminalText } from '@plugboard/protocol';
import type { Command } from 'commander';
import { findGateway, requestGateway } from '../gateway/client.ts';

interface PairOptions {
  readonly gateway?: string;
  readonly data?: string;
}

interface Person {
  readonly channel: string;
  readonly sender: string;
  readonly name: string;
}

/** `plugboard pair`: lets a person in who was given a code. */
export function addPair(program: Command): void {
  program
    .command('pair <code>')
    .description('Let a person talk in a channel who was given this code there.')
    .option('-g, --gateway <url>', 'a gateway elsewhere; its token comes from PLUGBOARD_TOKEN')
    .option('--data <dir>', 'the data directory of the gateway')
    .addHelpText(
      'after',
      '\nA stranger who writes to a channel is given a code, good for one hour. plugboard channel people lists who asks.',
    )
    .action(async (code: string, options: PairOptions) => {
      const body = { code };
      const { name, sender, channel } = await requestGateway<Person>(
        findGateway(options),
        'POST',
        '/api/people',
        body,
      );
      process.stderr.write(`${terminalText(name === '' ? sender : name)} may talk in ${channel} now.\n`);
    });
}
