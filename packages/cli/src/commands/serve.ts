import { randomBytes } from 'node:crypto';
import type { SelfDescription } from '@plugboard/agent';
import {
  type Bridge,
  type BridgeOptions,
  bridge,
  bridgeSessions,
  introduction,
  type OpenAgent,
  open,
  type Profile,
  type SessionsBridge,
} from '@plugboard/host';
import type { Spawner } from '@plugboard/process';
import { type DialectName, dialects, isServed, terminalText } from '@plugboard/protocol';
import type { Command } from 'commander';
import type { CommandLine, Outcome } from '../command-line.ts';
import { CommandFailure } from '../failure.ts';
import { startedIn, startedInProject } from '../project-root.ts';
import { demandSessionKey } from '../session-key.ts';
import { startSpawnHelper } from '../spawn-helper.ts';
import { sessionMemory } from '../state.ts';
import { addTargetOptions, dialectOf, resolveTarget, type TargetOptions } from '../target.ts';
import { VERSION } from '../version.ts';

interface ServeOptions extends TargetOptions {
  readonly as?: string;
  readonly stdio?: boolean;
  readonly session?: string;
  readonly gateway?: string | boolean;
  readonly data?: string;
}

const EXAMPLES = `
Examples:
  plugboard serve --as terminal profile.yaml              a nanobot runs this line as its command
  plugboard serve --as nuum --dialect agentproc -- ./a.sh a host that speaks Nuum starts this
  plugboard serve --as nib profile.yaml                   a backend for nib; see also plugboard install
  plugboard serve --as acp profile.yaml                   an editor that speaks ACP starts this: Zed, JetBrains, …
  plugboard serve profile.yaml                            in whichever dialect the host speaks

The host starts this command as it would start an agent. stdout carries the protocol, and nothing else.`;

/** `plugboard serve`: be an agent in one dialect, with an agent of any other behind. */
export function addServe(program: Command, line: CommandLine, _outcome: Outcome): void {
  addTargetOptions(program.command('serve').description('Be an agent in one dialect, with any agent behind.'))
    .option('--as <dialect>', 'the dialect the host speaks (default: found out from what the host does)')
    .option('--stdio', 'the host speaks Nuum: the same as --as nuum')
    .option('-s, --session <key>', 'the one conversation to have, for hosts that know of none')
    .option('-g, --gateway [url]', 'let a gateway answer: the one here, or that at an address')
    .option('--data <dir>', 'with --gateway: its data directory')
    .addHelpText('after', EXAMPLES)
    .action(async (file: string | undefined, options: ServeOptions) => {
      demandSessionKey(options.session);
      const as = frontOf(options);
      if (options.gateway !== undefined) return serveGateway(as, options);
      const target = await resolveTarget(file, options, line);
      const startsInProject = as !== undefined && dialects[as].startsInProject;
      const profile = startsInProject ? startedInProject(target, process.cwd()) : target;
      const agents = openAgents(profile, options);
      const { serve } = await import('@plugboard/agent');
      await serve(agents.handler, {
        version: VERSION,
        // `'any'`: which operations exist is known to the agent that we relay to, not to `serve`.
        ...(agents.agent.capabilities.operations ? { operations: 'any' as const } : {}),
        ...(agents.agent.capabilities.attachments === 'none' ? { takesFiles: false as const } : {}),
        // Hosts give an agent a few seconds to exit: the relayed agent must have written its last output by 1500 ms,
        // and `close` must be done by then.
        lastWordsMs: 1_500,
        close: () => agents.close(),
        ...(as === undefined ? {} : { as }),
        ...(options.session === undefined ? {} : { session: options.session }),
        relay: agents.relay,
        describe: agents.describe,
      });
    });
}

/** Answers a front with the agents of a gateway, which other people and devices talk to as well. */
async function serveGateway(as: DialectName | undefined, options: ServeOptions): Promise<void> {
  const { gateway, data, agent } = options;
  if (as === undefined || dialects[as].capabilities.conversations !== 'many')
    throw new CommandFailure('--gateway is for hosts with many conversations in one process: add --as acp.');
  const [{ findGateway }, { frontOfGateway }, { serve }] = await Promise.all([
    import('../gateway/client.ts'),
    import('../gateway/front/relay.ts'),
    import('@plugboard/agent'),
  ]);
  const meant = {
    ...(gateway === undefined ? {} : { gateway }),
    ...(data === undefined ? {} : { data }),
  };
  const find = () => findGateway(meant);
  find();
  const log = (text: string): void => void process.stderr.write(`${terminalText(text)}\n`);
  const front = frontOfGateway(find, agent, log);
  await serve(() => {}, { version: VERSION, as, details: { name: agent ?? 'plugboard' }, ...front });
}

/** The agent behind a front: one for all its turns, or one for each session of a front with many conversations. */
interface Agents extends Bridge {
  readonly agent: OpenAgent;
  /** Called with the dialect of the front before the first turn. */
  describe(front: DialectName): Promise<SelfDescription>;
  close(): Promise<void>;
}

function openAgents(profile: Profile, { session, workspace }: ServeOptions): Agents {
  const memory = sessionMemory();
  const conversation = session ?? newSessionId();
  let spawner: Spawner | undefined;
  const openOne = (one: Profile): OpenAgent => {
    const helper = spawner === undefined ? {} : { spawner };
    const opened = open(one, { environment: process.env, memory, fillSession: true, ...helper });
    // Log events outside a turn cannot be relayed to the host, so they go to stderr for the operator.
    opened.resident?.onIdleEvent((event) => {
      if (event.type === 'log') process.stderr.write(`${terminalText(event.text)}\n`);
    });
    return opened;
  };
  const options: BridgeOptions = {
    forget: (key) => memory.forget(profile.identity, key),
    isKnown: (key) => memory.get(profile.identity, key) !== undefined,
    newSessionId,
    processSession: conversation,
    claim: (agentId, key) => memory.claim(profile.identity, agentId, key),
    ...(session === undefined ? {} : { session }),
  };
  const agent = openOne(profile);
  let one: Bridge | undefined;
  const bridged = (): Bridge => (one ??= bridge(agent, options));
  let sessions: SessionsBridge | undefined;
  return {
    agent,
    handler: (turn, front) => bridged().handler(turn, front),
    relay: (tell) => (sessions ?? bridged()).relay(tell),
    async describe(front) {
      if (dialects[front].capabilities.conversations === 'one')
        return { ...(await introduce(agent, conversation)), ...(session === undefined ? {} : { session }) };
      spawner = await startSpawnHelper();
      sessions = bridgeSessions((_session, project) => {
        // With `--session` all sessions are one conversation, which has one agent.
        if (session !== undefined) return { agent, options };
        const isGiven = project !== undefined && workspace === undefined;
        return { agent: openOne(isGiven ? startedIn(profile, project) : profile), options };
      });
      return { details: { name: profile.name } };
    },
    async close() {
      await Promise.all([agent.close({ graceMs: 800 }), sessions?.close({ graceMs: 800 })]);
      await spawner?.close();
    },
  };
}

/** The dialect that the host speaks, where the command line says it. `--stdio` is how a Nuum host starts any agent. */
function frontOf({ as, stdio }: ServeOptions): DialectName | undefined {
  if (stdio !== true) return as === undefined ? undefined : servedDialect(as);
  const names = Object.keys(dialects) as DialectName[];
  const meant = names.find((name) => dialects[name].startArguments?.includes('--stdio'));
  if (as !== undefined && dialectOf(as) !== meant)
    throw new CommandFailure(
      `--stdio is for a host that speaks Nuum, --as ${as} for another: keep one of them.`,
    );
  return meant;
}

function servedDialect(name: string): DialectName {
  const dialect = dialectOf(name);
  if (isServed(dialects[dialect])) return dialect;
  const served = (Object.keys(dialects) as DialectName[]).filter((one) => isServed(dialects[one]));
  throw new CommandFailure(
    `No host speaks ${name}: it is a dialect of agents alone. Hosts speak ${served.join(', ')}.`,
  );
}

async function introduce(agent: OpenAgent, session: string | undefined): Promise<SelfDescription> {
  const { type: _, ...said } = (await introduction(agent, session)) ?? { type: 'ready' };
  return said;
}

function newSessionId(): string {
  return `pb-${randomBytes(12).toString('hex')}`;
}
