import type { DeliveryState, DeliveryView } from '@plugboard/client';
import { terminalText } from '@plugboard/protocol';
import { Argument, type Command, Option } from 'commander';
import { CommandFailure } from '../failure.ts';
import { type Address, askGateway, findGateway } from '../gateway/client.ts';

interface GatewayOptions {
  readonly gateway?: string;
  readonly data?: string;
  readonly json?: boolean;
}

interface ListOptions extends GatewayOptions {
  readonly state: DeliveryState | 'all';
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

/** `plugboard deliveries`: lists outgoing messages and settles those in the state `unknown`. */
export function addDeliveries(program: Command): void {
  const deliveries = program
    .command('deliveries')
    .description('See what was to be sent to people, and settle what nobody can tell of.');
  deliveries.addHelpText('afterAll', EXAMPLES);
  addGatewayOptions(
    deliveries.command('list', { isDefault: true }).description('List deliveries, newest first.'),
  )
    .addOption(new Option('--state <state>', 'which ones').choices([...STATES, 'all']).default('unknown'))
    .option('--session <id>', 'those of one session')
    .option('--limit <number>', 'no more than so many', '50')
    .action(printDeliveries);
  addGatewayOptions(
    deliveries.command('settle <id>').description('Say what became of a delivery that is unknown.'),
  )
    .addArgument(new Argument('<verdict>', 'what became of it, or is to').choices(['sent', 'again', 'drop']))
    .action(settleDelivery);
}

function addGatewayOptions(command: Command): Command {
  return command
    .option('-g, --gateway <url>', 'a gateway elsewhere; its token comes from PLUGBOARD_TOKEN')
    .option('--data <dir>', 'the data directory of the gateway')
    .option('--json', 'print JSON');
}

async function printDeliveries(options: ListOptions): Promise<void> {
  const { state, session } = options;
  if (session?.trim() === '') throw new CommandFailure('--session: give the id of a session.');
  const { deliveries, more } = await listDeliveries(findGateway(options), {
    limit: limitOf(options.limit),
    ...(state === 'all' ? {} : { state }),
    ...(session === undefined ? {} : { session }),
  });
  if (options.json === true) printJson(deliveries);
  else for (const one of deliveries) process.stdout.write(`${linesOf(one)}\n`);
  const whose = session === undefined ? '' : ' of this session';
  const how = state === 'all' ? 'there' : state;
  if (deliveries.length === 0) process.stderr.write(`No delivery${whose} is ${how}.\n`);
  if (more) process.stderr.write('There are more of them; see --limit.\n');
}

async function settleDelivery(
  id: string,
  verdict: 'sent' | 'again' | 'drop',
  options: GatewayOptions,
): Promise<void> {
  // The id becomes a segment of the URL: `.` and `..` would address another route.
  if (/^[.\s]*$/.test(id))
    throw new CommandFailure(
      `"${id}" is no id of a delivery. plugboard deliveries shows those that are unknown.`,
    );
  const settled = await askGateway(findGateway(options), (client) => client.deliveries.settle(id, verdict));
  if (options.json === true) return printJson(settled);
  process.stderr.write(`${id} is ${settled.state} now.\n`);
}

function limitOf(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new CommandFailure(`--limit ${text}: give a number of deliveries.`);
}

const LONGEST_TEXT = 200;

/** The first line identifies the delivery; its text and its `problem` follow, indented. */
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

function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

interface Asked {
  readonly limit: number;
  readonly state?: DeliveryState;
  readonly session?: string;
}

/** Largest page that a gateway returns. */
const MOST = 200;

/** The newest deliveries of a gateway, page by page, and whether there are more than were asked for. */
async function listDeliveries(
  gateway: Address,
  { limit, ...only }: Asked,
): Promise<{ readonly deliveries: readonly DeliveryView[]; readonly more: boolean }> {
  const deliveries: DeliveryView[] = [];
  let cursor: string | undefined;
  do {
    // Requests `limit + 1`, so that an extra delivery shows that there are more.
    const query = { ...only, limit: Math.min(MOST, limit + 1 - deliveries.length), cursor };
    const page = await askGateway(gateway, (client) => client.deliveries.list(query));
    deliveries.push(...page.deliveries);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined && deliveries.length <= limit);
  return { deliveries: deliveries.slice(0, limit), more: deliveries.length > limit };
}
