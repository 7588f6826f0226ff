import { randomBytes } from 'node:crypto';
import { bridge, bridgeUnasked, introduction, open } from '@plugboard/host';
import { type DialectName, terminalText } from '@plugboard/protocol';
import type { Command } from 'commander';
import { CommandFailure } from '../failure.ts';
import type { CommandLine, Outcome } from '../program.ts';
import { startedInProject } from '../project-root.ts';
import { demandSessionKey } from '../session-key.ts';
import { sessionMemory } from '../state.ts';
import { addTargetOptions, dialectOf, resolveTarget, type TargetOptions } from '../target.ts';
import { VERSION } from '../version.ts';

interface ServeOptions extends TargetOptions {
  readonly as?: string;
  readonly stdio?: boolean;
  readonly session?: string;
}

const EXAMPLES = `
Examples:
  plugboard serve --as terminal profile.yaml              a nanobot runs this line as its command
  plugboard serve --as nuum --dialect agentproc -- ./a.sh a host that speaks Nuum starts this
  plugboard serve --as nib profile.yaml                   a backend for nib; see also plugboard install
  plugboard serve profile.yaml                            in whichever dialect the host speaks

The host starts this command as it would start an agent. stdout carries the protocol, and nothing else.`;

/** `plugboard serve`: be an agent in one dialect, with an agent of any other behind. */
export function addServe(program: Command, line: CommandLine, _outcome: Outcome): void {
  addTargetOptions(program.command('serve').description('Be an agent in one dialect, with any agent behind.'))
    .option('--as <dialect>', 'the dialect the host speaks (default: found out from what the host does)')
    .option('--stdio', 'the host speaks Nuum: the same as --as nuum')
    .option('-s, --session <key>', 'the one conversation to have, for hosts that know of none')
    .addHelpText('after', EXAMPLES)
    .action(async (file: string | undefined, options: ServeOptions) => {
      demandSessionKey(options.session);
      const as = frontOf(options);
      const target = await resolveTarget(file, options, line);
      const profile = as === 'nib' ? startedInProject(target, process.cwd()) : target;
      const memory = sessionMemory();
      const conversation = options.session ?? newSessionId();
      const agent = open(profile, { environment: process.env, memory, fillSession: true });
      const handler = bridge(agent, {
        forget: (key) => memory.forget(profile.identity, key),
        isKnown: (key) => memory.get(profile.identity, key) !== undefined,
        newSessionId,
        processSession: conversation,
        claim: (agentId, key) => memory.claim(profile.identity, agentId, key),
        ...(options.session === undefined ? {} : { session: options.session }),
      });
      // What is said after the end of a turn, or between two, has no place in either; the operator sees it all the same.
      agent.resident?.onIdleEvent((event) => {
        if (event.type === 'log') process.stderr.write(`${terminalText(event.text)}\n`);
      });
      const describe = async () => {
        const { type: _, ...said } = (await introduction(agent, conversation)) ?? { type: 'ready' };
        return options.session === undefined ? said : { ...said, session: options.session };
      };
      const { serve } = await import('@plugboard/agent');
      await serve(handler, {
        version: VERSION,
        // What the agent behind knows is its own business.
        ...(profile.dialect === 'nib' ? { operations: 'any' as const } : {}),
        // Hosts give an agent a few seconds to end: what stands behind must have spoken, and be gone, by then.
        lastWordsMs: 1_500,
        close: () => agent.close({ graceMs: 800 }),
        ...(as === undefined ? {} : { as }),
        ...(options.session === undefined ? {} : { session: options.session }),
        ...(agent.resident === undefined ? {} : { unasked: bridgeUnasked(agent), describe }),
      });
    });
}

/** The dialect that the host speaks, where the command line says it. `--stdio` is how a Nuum host starts any agent. */
function frontOf({ as, stdio }: ServeOptions): DialectName | undefined {
  if (stdio !== true) return as === undefined ? undefined : dialectOf(as);
  if (as !== undefined && dialectOf(as) !== 'nuum')
    throw new CommandFailure(
      `--stdio is for a host that speaks Nuum, --as ${as} for another: keep one of them.`,
    );
  return 'nuum';
}

function newSessionId(): string {
  return `pb-${randomBytes(12).toString('hex')}`;
}
