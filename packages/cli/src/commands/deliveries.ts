import { terminalText } from '@plugboard/protocol';
import { Argument, type Command, Option } from 'commander';
import { CommandFailure } from '../failure.ts';
import { findGateway, request } from '../gateway/client.ts';
import { type DeliveryView, listDeliveries } from '../gateway/deliveries.ts';

interface GatewayOptions {
  readonly gateway?: string;
  readonly data?: string;
  readonly json?: boolean;
}

interface ListOptions extends GatewayOptions {
  readonly state: string;
  readonly session?: string;
  readonly limit: string;
}

const STATES = ['pending', 'sending', 'sent', 'unknown', 'failed', 'expired'];

const EXAMPLES = `
Unknown is what may have arrived: the connection broke, or the gateway was killed, between handing it to the platform and
hearing that it has it. Look into the chat, and say which:
  sent     it has arrived
  again    send it again; if it had arrived after all, people see it twice
  drop     let it go

Examples:
  plugboard deliveries                              what nobody can tell of
  plugboard deliveries list --state failed --json
  plugboard deliveries settle ID again`;

/** `plugboard deliveries`: what was sent to people, and what the operator says of it. */
export function addDeliveries(program: Command): void {
  const deliveries = program
    .command('deliveries')
    .description('See what was to be sent to people, and settle what nobody can tell of.');
  deliveries.addHelpText('afterAll', EXAMPLES);
  connected(deliveries.command('list', { isDefault: true }).description('List deliveries, newest first.'))
    .addOption(new Option('--state <state>', 'which ones').choices([...STATES, 'all']).default('unknown'))
    .option('--session <id>', 'those of one session')
    .option('--limit <number>', 'no more than so many', '50')
    .action(list);
  connected(deliveries.command('settle <id>').description('Say what became of a delivery that is unknown.'))
    .addArgument(new Argument('<verdict>', 'what became of it, or is to').choices(['sent', 'again', 'drop']))
    .action(settle);
}

function connected(command: Command): Command {
  return command
    .option('-g, --gateway <url>', 'a gateway elsewhere; its token comes from PLUGBOARD_TOKEN')
    .option('--data <dir>', 'the data directory of the gateway')
    .option('--json', 'print JSON');
}

async function list(options: ListOptions): Promise<void> {
  const { state, session } = options;
  if (session?.trim() === '') throw new CommandFailure('--session: give the id of a session.');
  const { deliveries, more } = await listDeliveries(findGateway(options), {
    limit: limitOf(options.limit),
    ...(state === 'all' ? {} : { state }),
    ...(session === undefined ? {} : { session }),
  });
  if (options.json === true) print(deliveries);
  else for (const one of deliveries) process.stdout.write(`${linesOf(one)}\n`);
  const whose = session === undefined ? '' : ' of this session';
  const how = state === 'all' ? 'there' : state;
  if (deliveries.length === 0) process.stderr.write(`No delivery${whose} is ${how}.\n`);
  if (more) process.stderr.write('There are more of them; see --limit.\n');
}

async function settle(id: string, verdict: string, options: GatewayOptions): Promise<void> {
  // Dots alone would make another address of it.
  if (/^[.\s]*$/.test(id))
    throw new CommandFailure(
      `"${id}" is no id of a delivery. plugboard deliveries shows those that are unknown.`,
    );
  const path = `/api/deliveries/${encodeURIComponent(id)}/settle`;
  const settled = await request<DeliveryView>(findGateway(options), 'POST', path, { as: verdict });
  if (options.json === true) return print(settled);
  process.stderr.write(`${id} is ${settled.state} now.\n`);
}

function limitOf(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new CommandFailure(`--limit ${text}: give a number of deliveries.`);
}

const LONGEST_TEXT = 200;

/** One line to find it by, and what it says and what is wrong with it below. */
function linesOf(delivery: DeliveryView): string {
  const { id, state, channel, place, text, files, problem, settled, dueAt } = delivery;
  const words = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT - 1).toWellFormed()}…` : text;
  const said = [words.replace(/\s+/g, ' '), ...files.map((name) => `[${name}]`)].join(' ').trim();
  const who = settled === null ? [] : [`settled by ${settled.by} at ${timeOf(settled.at)}`];
  const lines = [
    `${id}  ${state}  ${channel} ${place}  ${timeOf(dueAt)}`,
    ...[said, problem ?? '', ...who].filter((line) => line !== '').map((line) => `  ${line}`),
  ];
  return lines.map((line) => terminalText(line.replaceAll('\n', ' '))).join('\n');
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
