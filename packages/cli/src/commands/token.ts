import type { TokenView } from '@plugboard/client';
import type { Command } from 'commander';
import { CommandFailure } from '../failure.ts';
import { type Address, findGateway, requestGateway } from '../gateway/client.ts';
import { collectValues } from '../target.ts';

interface Made {
  readonly token: TokenView;
  readonly secret: string;
}

interface TokenOptions {
  readonly gateway?: string;
  readonly data?: string;
  readonly json?: boolean;
}

const SCOPES = ['chat', 'inspect', 'operate', 'metrics', 'admin'];

const EXAMPLES = `
Scopes: chat (talk and read), inspect (raw frames), operate (let people into channels, settle deliveries), metrics, admin (everything), agent:NAME (only this agent).

Examples:
  plugboard token create notebook --scope chat
  plugboard token create ci --scope chat --scope agent:coder --days 30
  plugboard token list
  plugboard token revoke token-abc`;

/** `plugboard token`: keys to the gateway. */
export function addToken(program: Command): void {
  const token = program.command('token').description('Make, list and revoke keys to the gateway.');
  token.addHelpText('afterAll', EXAMPLES);
  addGatewayOptions(token.command('create <name>').description('Make a token. It is shown once.'))
    .option('--scope <scope>', 'what it may do (repeatable; default: chat)', collectValues)
    .option('--days <number>', 'how long it is good (default: for ever)')
    .action(async (name: string, options: TokenOptions & { scope?: readonly string[]; days?: string }) => {
      const scopes = options.scope ?? ['chat'];
      demandScopes(scopes);
      const body = { name, scopes, ...expiryOf(options.days) };
      const gateway = gatewayOf(options);
      const made = await requestGateway<Made>(gateway, 'POST', '/api/tokens', body);
      await printToken(gateway, made, options.json === true);
      if (options.json === true) return;
      process.stderr.write(
        `${made.token.id} may ${scopes.join(', ')}. Keep it now: it is not shown again.\n`,
      );
    });
  addGatewayOptions(token.command('list').description('List the tokens.')).action(
    async (options: TokenOptions) => {
      const { tokens } = await requestGateway<{ tokens: TokenView[] }>(
        gatewayOf(options),
        'GET',
        '/api/tokens',
      );
      if (options.json === true) return printJson(tokens);
      for (const one of tokens) process.stdout.write(`${lineOf(one)}\n`);
    },
  );
  addGatewayOptions(
    token.command('revoke <id>').description('Revoke a token. It is worth nothing within two seconds.'),
  ).action(async (id: string, options: TokenOptions) => {
    await revokeToken(gatewayOf(options), id);
    process.stderr.write(`${id} was revoked.\n`);
  });
}

/**
 * Revokes the token when its secret could not be written to stdout: without the secret it is useless, but it would stay
 * valid.
 */
async function printToken(gateway: Address, made: Made, json: boolean): Promise<void> {
  try {
    await writeText(json ? `${JSON.stringify(made)}\n` : `${made.secret}\n`);
  } catch {
    const { id } = made.token;
    await revokeToken(gateway, id).catch((error: Error) => {
      throw new CommandFailure(
        `The secret of ${id} is lost and it could not be revoked: ${error.message} Do it with plugboard token revoke ${id}.`,
        1,
      );
    });
    throw new CommandFailure(`The secret of ${id} could not be shown, and so it was revoked again.`, 1);
  }
}

function writeText(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error instanceof Error ? reject(error) : resolve()));
  });
}

function revokeToken(gateway: Address, id: string): Promise<unknown> {
  return requestGateway(gateway, 'DELETE', `/api/tokens/${encodeURIComponent(id)}`);
}

function addGatewayOptions(command: Command): Command {
  return command
    .option('-g, --gateway <url>', 'a gateway elsewhere; its token comes from PLUGBOARD_TOKEN')
    .option('--data <dir>', 'the data directory of the gateway')
    .option('--json', 'print JSON');
}

function gatewayOf(options: TokenOptions): Address {
  return findGateway(options);
}

/** Runs before the request, so that an unknown scope is a usage error (exit code 2) and not an HTTP error. */
function demandScopes(scopes: readonly string[]): void {
  const unknown = scopes.find(
    (scope) => !SCOPES.includes(scope) && !/^agent:[a-z0-9][a-z0-9-]{0,63}$/.test(scope),
  );
  if (unknown === undefined) return;
  throw new CommandFailure(
    `--scope ${unknown}: there is no such scope. There are: ${SCOPES.join(', ')}, and agent:NAME for one agent.`,
  );
}

function expiryOf(days: string | undefined): { expiresInMs?: number } {
  if (days === undefined) return {};
  const number = Number(days);
  if (!(number > 0)) throw new CommandFailure(`--days ${days}: give a number of days.`);
  return { expiresInMs: Math.round(number * 86_400_000) };
}

function lineOf({ id, name, scopes, lastUsedAt, expiresAt }: TokenView): string {
  const used = lastUsedAt === null ? 'never used' : `used ${new Date(lastUsedAt).toISOString()}`;
  const until = expiresAt === null ? '' : `, until ${new Date(expiresAt).toISOString()}`;
  return `${id}  ${name}  [${scopes.join(' ')}]  ${used}${until}`;
}

function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
