import { networkInterfaces } from 'node:os';
import type { Command } from 'commander';
import { type Address, findGateway, request } from '../gateway/client.ts';
import { loginLink, networkUrls, PLAIN_HTTP } from '../gateway/links.ts';

const EXAMPLES = `
Examples:
  plugboard login                                            for the gateway that runs here
  xdg-open "$(plugboard login)"
  PLUGBOARD_TOKEN=… plugboard login --gateway https://chat.example.org

A gateway that listens on all addresses gets further links on stderr, for a phone or another machine.`;

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
      process.stdout.write(`${loginLink(gateway.url, await newCode(gateway))}\n`);
      if (gateway.everywhere === true) await offerToOthers(gateway);
    });
}

/** On stderr: scripts take the one line of stdout for the link. */
async function offerToOthers(gateway: Address): Promise<void> {
  const urls = networkUrls(gateway.url, networkInterfaces());
  const code = await newCode(gateway);
  const lines = [...urls.map((url) => `From another machine: ${loginLink(url, code)}`), PLAIN_HTTP, ''];
  process.stderr.write(lines.join('\n'));
}

async function newCode(gateway: Address): Promise<string> {
  const { code } = await request<{ code: string }>(gateway, 'POST', '/api/login-codes', {});
  return code;
}
