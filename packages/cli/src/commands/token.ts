import type { Command } from 'commander';
import { CommandFailure } from '../failure.ts';
import { type Address, findGateway, request } from '../gateway/client.ts';
import { collect } from '../target.ts';

interface TokenView {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
}

interface TokenOptions {
  readonly gateway?: string;
  readonly data?: string;
  readonly json?: boolean;
}

const EXAMPLES = `
Scopes: chat (talk and read), inspect (raw frames), metrics, admin (everything), agent:NAME (only this agent).

Examples:
  plugboard token create phone --scope chat
  plugboard token create ci --scope chat --scope agent:coder --days 30
  plugboard token list
  plugboard token revoke token-abc`;

/** `plugboard token`: keys to the gateway. */
export function addToken(program: Command): void {
  const token = program.command('token').description('Make, list and revoke keys to the gateway.');
  token.addHelpText('afterAll', EXAMPLES);
  connected(token.command('create <name>').description('Make a token. It is shown once.'))
    .option('--scope <scope>', 'what it may do (repeatable; default: chat)', collect, [])
    .option('--days <number>', 'how long it is good (default: for ever)')
    .action(async (name: string, options: TokenOptions & { scope: readonly string[]; days?: string }) => {
      const scopes = options.scope.length === 0 ? ['chat'] : options.scope;
      const body = { name, scopes, ...expiryOf(options.days) };
      const made = await request<{ token: TokenView; secret: string }>(
        gatewayOf(options),
        'POST',
        '/api/tokens',
        body,
      );
      if (options.json === true) return print(made);
      process.stdout.write(`${made.secret}\n`);
      process.stderr.write(
        `${made.token.id} may ${scopes.join(', ')}. Keep it now: it is not shown again.\n`,
      );
    });
  connected(token.command('list').description('List the tokens.')).action(async (options: TokenOptions) => {
    const { tokens } = await request<{ tokens: TokenView[] }>(gatewayOf(options), 'GET', '/api/tokens');
    if (options.json === true) return print(tokens);
    for (const one of tokens) process.stdout.write(`${lineOf(one)}\n`);
  });
  connected(
    token.command('revoke <id>').description('Revoke a token. It is worth nothing within two seconds.'),
  ).action(async (id: string, options: TokenOptions) => {
    await request(gatewayOf(options), 'DELETE', `/api/tokens/${encodeURIComponent(id)}`);
    process.stderr.write(`${id} was revoked.\n`);
  });
}

function connected(command: Command): Command {
  return command
    .option('-g, --gateway <url>', 'a gateway elsewhere; its token comes from PLUGBOARD_TOKEN')
    .option('--data <dir>', 'the data directory of the gateway')
    .option('--json', 'print JSON');
}

function gatewayOf(options: TokenOptions): Address {
  return findGateway(options);
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

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
