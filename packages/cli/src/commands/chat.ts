import { open, shortMemory } from '@plugboard/host';
import { terminalText } from '@plugboard/protocol';
import type { Command } from 'commander';
import type { CommandLine, Outcome } from '../command-line.ts';
import { startConversation } from '../conversation/conversation.ts';
import { CommandFailure } from '../failure.ts';
import { addRecordOptions, finishRecording, type RecordOptions, startRecording } from '../recording.ts';
import { demandSessionKey, sessionRemark } from '../session-key.ts';
import { startSpawnHelper } from '../spawn-helper.ts';
import { sessionMemory } from '../state.ts';
import { addTargetOptions, resolveTarget, type TargetOptions } from '../target.ts';

interface ChatOptions extends RecordOptions, TargetOptions {
  readonly gateway?: string | boolean;
  readonly data?: string;
  readonly session?: string;
  readonly verbose?: boolean;
}

const EXAMPLES = `
Examples:
  plugboard chat --demo
  plugboard chat --dialect nuum -- nuum --stdio --db ./my.db
  plugboard chat profile.yaml --session letters
  plugboard chat --agent claude                          with Claude Code
  plugboard chat --gateway --agent coder                 through the gateway that runs here, with its agent coder

While it answers: what you type is passed on to an agent that can be steered, and waits for one that cannot.
Ctrl-C stops the turn; a second one leaves.`;

/** `plugboard chat`: talk to an agent in the terminal. */
export function addChat(program: Command, line: CommandLine, outcome: Outcome): void {
  const command = addTargetOptions(
    program.command('chat').description('Talk to an agent in the terminal.'),
    '-a, --agent <name>',
  );
  addRecordOptions(command)
    .option('-s, --session <key>', 'a conversation that goes on the next time')
    .option('-v, --verbose', "show faults and the agent's log frames; its stderr is always shown")
    .option('-g, --gateway [url]', 'talk through a gateway: the one here, or that at an address')
    .option('--data <dir>', 'with --gateway: its data directory')
    .addHelpText('after', EXAMPLES)
    .action(async (file: string | undefined, options: ChatOptions) => {
      demandSessionKey(options.session);
      if (options.gateway !== undefined) {
        demandNoAgent(file, options, line);
        outcome.exitCode = await chatThroughGateway(options);
        return;
      }
      if (options.data !== undefined)
        throw new CommandFailure('--data is about a gateway: say --gateway too.');
      const profile = await resolveTarget(file, options, line);
      const idle = sessionRemark(profile, options.session);
      if (idle !== undefined) process.stderr.write(`plugboard: ${terminalText(idle)}\n`);
      const recorder = startRecording(options);
      const spawner = await startSpawnHelper();
      const agent = open(profile, {
        environment: process.env,
        fillSession: true,
        media: { within: 'everywhere' },
        memory: options.session === undefined ? shortMemory() : sessionMemory(),
        ...(recorder === undefined ? {} : { recorder }),
        ...(spawner === undefined ? {} : { spawner }),
      });
      try {
        outcome.exitCode = await startConversation(agent, {
          sessionKey: options.session,
          verbose: options.verbose === true,
        });
      } finally {
        await spawner?.close();
        finishRecording(recorder);
      }
    });
}

const OF_AN_AGENT = ['dialect', 'demo', 'workspace', 'timeout', 'set', 'record'] as const;

/**
 * Refuses the options in `OF_AN_AGENT` with `--gateway`: the gateway spawns its agents, so these options have no
 * effect.
 */
function demandNoAgent(file: string | undefined, options: ChatOptions, line: CommandLine): void {
  if (file !== undefined || line.agentCommand.length > 0)
    throw new CommandFailure('A gateway has agents of its own: name one with --agent.');
  const idle = OF_AN_AGENT.find((name) => options[name] !== undefined);
  if (idle !== undefined)
    throw new CommandFailure(`--${idle} is for an agent that is started here; leave it out with --gateway.`);
}

async function chatThroughGateway(options: ChatOptions): Promise<number> {
  const [{ findGateway }, { talkThrough }] = await Promise.all([
    import('../gateway/client.ts'),
    import('../gateway/talk/talk.ts'),
  ]);
  const { gateway, data, agent, session } = options;
  const meant = { ...(gateway === undefined ? {} : { gateway }), ...(data === undefined ? {} : { data }) };
  return talkThrough(() => findGateway(meant), {
    verbose: options.verbose === true,
    ...(agent === undefined ? {} : { agent }),
    ...(session === undefined ? {} : { session }),
  });
}
