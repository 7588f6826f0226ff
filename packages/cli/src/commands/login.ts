import { networkInterfaces } from 'node:os';
import type { Command } from 'commander';
import { type Address, findGateway, requestGateway } from '../gateway/client.ts';
import { loginLink, networkUrls, PLAIN_HTTP } from '../gateway/links.ts';

const EXAMPLES = `
Examples:
  plugboard login                                            for the gateway that runs here
  plugboard login --operate                                  for the operator's own browser
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
    .option('--operate', 'the browser may also let people into channels and settle deliveries')
    .addHelpText('after', EXAMPLES)
    .action(async (options: { gateway?: string; data?: string; operate?: boolean }) => {
      const gateway = findGateway(options);
      process.stdout.write(`${loginLink(gateway.url, await newCode(gateway, options.operate === true))}\n`);
      if (gateway.everywhere === true) await offerToOthers(gateway);
    });
}

/** On stderr: scripts read the login link from the only line of stdout. */
async function offerToOthers(gateway: Address): Promise<void> {
  const urls = networkUrls(gateway.url, networkInterfaces());
  const code = await newCode(gateway);
  const lines = [...urls.map((url) => `From another machine: ${loginLink(url, code)}`), PLAIN_HTTP, ''];
  process.stderr.write(lines.join('\n'));
}

async function newCode(gateway: Address, operate = false): Promise<string> {
  const body = { operate };
  const { code } = await requestGateway<{ code: string }>(gateway, 'POST', '/api/login-codes', body);
  return code;
}
