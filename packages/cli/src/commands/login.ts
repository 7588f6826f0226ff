import type { Command } from 'commander';
import { findGateway, request } from '../gateway/client.ts';

const EXAMPLES = `
Examples:
  plugboard login                                            for the gateway that runs here
  xdg-open "$(plugboard login)"
  PLUGBOARD_TOKEN=… plugboard login --gateway https://chat.example.org`;

/** `plugboard login`: a link that logs a browser in, once. */
export function addLogin(program: Command): void {
  program
    .command('login')
    .description(
      'Print a link that logs a browser in to the running gateway. It is good once, for five minutes.',
    )
    .option('-g, --gateway <url>', 'a gateway elsewhere; its token comes from PLUGBOARD_TOKEN')
    .option('--data <dir>', 'the data directory of the gateway')
    .addHelpText('after', EXAMPLES)
    .action(async (options: { gateway?: string; data?: string }) => {
      const gateway = findGateway(options);
      const { code } = await request<{ code: string }>(gateway, 'POST', '/api/login-codes', {});
      process.stdout.write(`${gateway.url}/#code=${code}\n`);
    });
}
