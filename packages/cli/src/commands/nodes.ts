import type { NodeView } from '@plugboard/client';
import { terminalText } from '@plugboard/protocol';
import type { Command } from 'commander';
import { askGateway, findGateway } from '../gateway/client.ts';

interface NodesOptions {
  readonly gateway?: string;
  readonly data?: string;
  readonly json?: boolean;
}

const EXAMPLES = `
Gateways with the same Postgres database are one service. A drained one takes no new turns and gives its sessions and
channels to the others; what runs in it may finish. Then it can be stopped without anybody noticing.

Examples:
  plugboard nodes                    who is there, and how much runs in each
  plugboard nodes drain north        before north is stopped
  plugboard nodes resume north       it goes on after all`;

/** `plugboard nodes`: lists the gateways on one store, and drains one. */
export function addNodes(program: Command): void {
  const nodes = program
    .command('nodes')
    .description('See the gateways that share a database, and drain one.');
  nodes.addHelpText('afterAll', EXAMPLES);
  addGatewayOptions(
    nodes.command('list', { isDefault: true }).description('List the gateways on the same database.'),
  ).action(printNodes);
  addGatewayOptions(
    nodes.command('drain <name>').description('Let a gateway take no new turns, and give up what it has.'),
  ).action((name: string, options: NodesOptions) => drainNode(name, options, true));
  addGatewayOptions(
    nodes.command('resume <name>').description('Let a drained gateway take turns again.'),
  ).action((name: string, options: NodesOptions) => drainNode(name, options, false));
}

function addGatewayOptions(command: Command): Command {
  return command
    .option('-g, --gateway <url>', 'one of the gateways, elsewhere; its token comes from PLUGBOARD_TOKEN')
    .option('--data <dir>', 'the data directory of one of the gateways')
    .option('--json', 'print JSON');
}

async function printNodes(options: NodesOptions): Promise<void> {
  const nodes = await askGateway(findGateway(options), (client) => client.nodes.list());
  if (options.json === true) process.stdout.write(`${JSON.stringify(nodes)}\n`);
  else for (const node of nodes) process.stdout.write(`${lineOf(node)}\n`);
  if (nodes.length === 0)
    process.stderr.write('This gateway has its store alone. Several gateways need store: postgres://…\n');
}

function lineOf(node: NodeView): string {
  const { name, version, url, state, self, draining, running, residents } = node;
  const what = state === 'alive' && draining ? 'draining' : state;
  const load = state === 'alive' ? `${running} running, ${residents} resident` : since(node.seenAt);
  return [self ? '*' : ' ', name, what, load, version, url ?? ''].map(terminalText).join('  ').trimEnd();
}

function since(at: number): string {
  return `last seen ${new Date(at).toISOString()}`;
}

async function drainNode(name: string, options: NodesOptions, draining: boolean): Promise<void> {
  const done = await askGateway(findGateway(options), (client) => client.nodes.drain(name, draining));
  if (options.json === true) return void process.stdout.write(`${JSON.stringify(done)}\n`);
  const words = draining
    ? 'takes no new turns now. plugboard nodes shows when nothing runs in it any more.'
    : 'takes turns again.';
  process.stderr.write(`${terminalText(name)} ${words}\n`);
}
