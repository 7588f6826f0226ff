import type { ChannelKind, Proof } from '@plugboard/gateway';
import { reasonOf, terminalText } from '@plugboard/protocol';
import type { Command } from 'commander';
import { renderUnicodeCompact } from 'uqr';
import { collectFields, type FieldSources } from '../channels/collect-fields.ts';
import { type Keyboard, openKeyboard } from '../channels/keyboard.ts';
import { inviteSomebody, waitForChannel, waitForPerson } from '../channels/wait-for-person.ts';
import { demandFreeName, writeChannel } from '../channels/write-channel.ts';
import type { CommandLine, Outcome } from '../command-line.ts';
import { CommandFailure } from '../failure.ts';
import { type Address, findGateway, requestGateway } from '../gateway/client.ts';
import type { loadConfig } from '../gateway/config.ts';
import { configFile, type Place, placeOf } from '../gateway/place.ts';
import { collectValues } from '../target.ts';

interface GatewayOptions {
  readonly gateway?: string;
  readonly data?: string;
  readonly json?: boolean;
}

interface AddOptions extends GatewayOptions {
  readonly config?: string;
  readonly name?: string;
  readonly set?: readonly string[];
  readonly fromEnv?: readonly string[];
  readonly fromFile?: readonly string[];
  /** False for `--no-wait`. */
  readonly wait: boolean;
}

const STANDARD_FILE = 'plugboard.yaml';

const EXAMPLES = `
Examples:
  plugboard channel add telegram                       asks for the key, tries it, and shows the link to the bot
  plugboard channel add telegram --from-env token=TELEGRAM_TOKEN
  plugboard channel invite telegram                    a link, or a code, for another person
  plugboard channel people                             who may talk, and who asks to
  plugboard channel remove-person telegram 12345`;

/** `plugboard channel`: chat platforms, and who may talk there. */
export function addChannel(program: Command, _line: CommandLine, outcome: Outcome): void {
  const channel = program
    .command('channel')
    .description('Connect chat platforms, and say who may talk there.');
  channel.addHelpText('afterAll', EXAMPLES);
  channel
    .command('add <kind>')
    .description(
      'Connect a chat platform: asks for what is needed, tries it and writes it into the configuration.',
    )
    .option('-c, --config <file>', `the configuration (default: ${STANDARD_FILE} here)`)
    .option('--data <dir>', 'the data directory of the gateway')
    .option('-n, --name <name>', 'what to call the channel (default: its kind)')
    .option('--set <field=value>', 'a field (repeatable)', collectValues)
    .option('--from-env <field=variable>', 'a secret that stands in a variable of the gateway', collectValues)
    .option('--from-file <field=path>', 'a secret that stands in a file of its own', collectValues)
    .option('--no-wait', 'do not wait for the first person')
    .action(async (kind: string, options: AddOptions) => {
      await addPlatform(kind, options, outcome);
    });
  addGatewayOptions(channel.command('list').description('List the channels of a running gateway.')).action(
    listChannels,
  );
  addGatewayOptions(
    channel.command('invite <name>').description('Make a code that lets the first person in who sends it.'),
  ).action(async (name: string, options: GatewayOptions) => {
    process.stdout.write(`${await inviteSomebody(findGateway(options), name)}\n`);
    process.stderr.write('It is good for one hour. Send it to the bot, or behind /start.\n');
  });
  addGatewayOptions(
    channel.command('people').description('List who may talk in the channels, and who asks to.'),
  ).action(listPeople);
  addGatewayOptions(
    channel
      .command('remove-person <channel> <id>')
      .description('Let a person talk no longer, or drop a request.'),
  ).action(async (name: string, id: string, options: GatewayOptions) => {
    const query = new URLSearchParams({ channel: name, sender: id });
    await requestGateway(findGateway(options), 'DELETE', `/api/people?${query}`);
    process.stderr.write(`${terminalText(id)} may not talk in ${terminalText(name)} any more.\n`);
  });
}

function addGatewayOptions(command: Command): Command {
  return command
    .option('-g, --gateway <url>', 'a gateway elsewhere; its token comes from PLUGBOARD_TOKEN')
    .option('--data <dir>', 'the data directory of the gateway')
    .option('--json', 'print JSON');
}

async function addPlatform(kindName: string, options: AddOptions, outcome: Outcome): Promise<void> {
  const { channelKinds } = await import('@plugboard/gateway');
  const kind = channelKinds.get(kindName);
  if (kind === undefined)
    throw new CommandFailure(
      `There is no kind of channel "${kindName}". There are: ${[...channelKinds.keys()].join(', ')}.`,
    );
  const name = options.name ?? kind.name;
  const file = options.config ?? configFile(undefined) ?? STANDARD_FILE;
  await demandFreeName(file, name);
  const place = placeOf(options.data);
  const proof = await askAndProve(kind, name, file, options, place);
  for (const remark of proof.remarks) process.stderr.write(`note: ${terminalText(remark)}\n`);
  process.stderr.write(
    `${kind.title} knows the bot as ${terminalText(proof.name)}. ${file} has the channel "${name}" now.\n`,
  );
  const gateway = runningGateway(options);
  if (gateway === undefined) {
    process.stderr.write(`Next: plugboard up, then plugboard channel invite ${name}\n`);
    return;
  }
  outcome.exitCode = await welcomeFirst(gateway, name, proof, options.wait);
}

/** Asks for the fields, writes them, and lets the platform say whose key it is. */
async function askAndProve(
  kind: ChannelKind,
  name: string,
  file: string,
  options: AddOptions,
  place: Place,
): Promise<Proof> {
  for (const [at, step] of kind.setup.steps.entries()) process.stderr.write(`${at + 1}. ${step}\n`);
  let opened: Keyboard | undefined;
  const keyboard = (): Keyboard => {
    opened ??= openKeyboard();
    return opened;
  };
  const sources: FieldSources = {
    set: options.set ?? [],
    fromEnv: options.fromEnv ?? [],
    fromFile: options.fromFile ?? [],
  };
  try {
    const collected = await collectFields(kind, name, sources, { keyboard, secrets: place.secrets });
    const fields = kind.name === name ? collected.fields : { kind: kind.name, ...collected.fields };
    return await writeChannel(file, { name, fields, env: collected.env }, place, (config) =>
      proveChannel(config, name),
    );
  } finally {
    opened?.[Symbol.dispose]();
  }
}

/** Asks the platform of a configured channel who the bot is. */
async function proveChannel(
  { channels }: Awaited<ReturnType<typeof loadConfig>>,
  name: string,
): Promise<Proof> {
  const platform = channels.platforms.get(name);
  if (platform === undefined) throw new CommandFailure(`The channel ${name} is not in the configuration.`);
  const { loadChannelModule } = await import('@plugboard/gateway');
  const { prove } = await loadChannelModule(platform.kind);
  try {
    return await prove(platform);
  } catch (error) {
    throw new CommandFailure(
      `The platform does not take this: ${terminalText(reasonOf(error))} Nothing was written.`,
      1,
    );
  }
}

/** The gateway of this place, if one runs. */
function runningGateway(options: GatewayOptions): Address | undefined {
  try {
    return findGateway(options);
  } catch {
    return undefined;
  }
}

/** Waits for the channel, shows how to get to the bot, and waits for the first person. */
async function welcomeFirst(gateway: Address, name: string, proof: Proof, waits: boolean): Promise<number> {
  const problem = await waitForChannel(gateway, name);
  if (problem !== undefined)
    throw new CommandFailure(`The channel did not start: ${terminalText(problem)}`, 1);
  const code = await inviteSomebody(gateway, name);
  showWay(proof, code);
  if (!waits) return 0;
  process.stderr.write(
    'Waiting for the first message, whose sender may talk from then on. Ctrl-C ends the waiting.\n',
  );
  const leave = new AbortController();
  const onLeave = (): void => leave.abort();
  process.once('SIGINT', onLeave);
  try {
    const person = await waitForPerson(gateway, name, leave.signal);
    if (person === undefined) return 130;
    process.stderr.write(`${person} may talk now.\n`);
    return 0;
  } finally {
    process.off('SIGINT', onLeave);
  }
}

function showWay(proof: Proof, code: string): void {
  const link = proof.link?.(code);
  if (link === undefined) {
    process.stderr.write(`Send this code to the bot within an hour: ${code}\n`);
    return;
  }
  if (process.stderr.isTTY) process.stderr.write(`${renderUnicodeCompact(link)}\n`);
  process.stderr.write(
    `Open ${link} within an hour, on this or another device. The code in it is ${code}.\n`,
  );
}

interface ChannelView {
  readonly name: string;
  readonly kind: string;
  readonly state: string;
  readonly lastMessageAt: number | null;
  readonly lastError: { readonly at: number; readonly message: string } | null;
}

async function listChannels(options: GatewayOptions): Promise<void> {
  const { channels } = await requestGateway<{ channels: ChannelView[] }>(
    findGateway(options),
    'GET',
    '/api/channels',
  );
  if (options.json === true) return printJson(channels);
  for (const { name, kind, state, lastMessageAt, lastError } of channels) {
    const heard = lastMessageAt === null ? '' : `, last message ${new Date(lastMessageAt).toISOString()}`;
    const wrong = lastError === null ? '' : `, last error: ${terminalText(lastError.message)}`;
    process.stdout.write(`${name}  ${kind}  ${state}${heard}${wrong}\n`);
  }
}

interface PersonView {
  readonly channel: string;
  readonly sender: string;
  readonly name: string;
  readonly state: 'asking' | 'paired';
}

async function listPeople(options: GatewayOptions): Promise<void> {
  const { people } = await requestGateway<{ people: PersonView[] }>(
    findGateway(options),
    'GET',
    '/api/people',
  );
  if (options.json === true) return printJson(people);
  for (const { channel, sender, name, state } of people) {
    const may =
      state === 'paired' ? 'may talk' : 'asks to talk: plugboard pair CODE, with the code that was given out';
    process.stdout.write(`${channel}  ${terminalText(sender)}  ${terminalText(name)}  ${may}\n`);
  }
}

function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
