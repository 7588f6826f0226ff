import { open, shortMemory } from '@plugboard/host';
import type { Command } from 'commander';
import { startConversation } from '../conversation/conversation.ts';
import { CommandFailure } from '../failure.ts';
import type { CommandLine, Outcome } from '../program.ts';
import { finishRecording, startRecording } from '../recording.ts';
import { sessionMemory } from '../state.ts';
import { addTargetOptions, resolveTarget, type TargetOptions } from '../target.ts';

interface ChatOptions extends TargetOptions {
  readonly gateway?: string | boolean;
  readonly agent?: string;
  readonly data?: string;
  readonly session?: string;
  readonly record?: string;
  readonly verbose?: boolean;
}

const EXAMPLES = `
Examples:
  plugboard chat --demo
  plugboard chat --dialect nuum -- nuum --stdio --db ./my.db
  plugboard chat profile.yaml --session letters
  plugboard chat --gateway --agent coder                 through the gateway that runs here

While it answers: what you type is passed on to an agent that can be steered, and waits for one that cannot.
Ctrl-C stops the turn; a second one leaves.`;

/** `plugboard chat`: talk to an agent in the terminal. */
export function addChat(program: Command, line: CommandLine, outcome: Outcome): void {
  addTargetOptions(program.command('chat').description('Talk to an agent in the terminal.'))
    .option('-s, --session <key>', 'a conversation that goes on the next time')
    .option('--record <file>', 'write down every byte that goes over the wire')
    .option('-v, --verbose', "show faults and the agent's log")
    .option('-g, --gateway [url]', 'talk through a gateway: the one here, or that at an address')
    .option('-a, --agent <name>', 'with --gateway: who is to answer')
    .option('--data <dir>', 'with --gateway: its data directory')
    .addHelpText('after', EXAMPLES)
    .action(async (file: string | undefined, options: ChatOptions) => {
      if (options.gateway !== undefined) {
        outcome.exitCode = await chatThroughGateway(file, options);
        return;
      }
      const profile = await resolveTarget(file, options, line);
      const recorder = startRecording(options.record);
      const agent = open(profile, {
        environment: process.env,
        memory: options.session === undefined ? shortMemory() : sessionMemory(),
        ...(recorder === undefined ? {} : { recorder }),
      });
      outcome.exitCode = await startConversation(agent, {
        sessionKey: options.session,
        verbose: options.verbose === true,
      });
      finishRecording(recorder);
    });
}

async function chatThroughGateway(file: string | undefined, options: ChatOptions): Promise<number> {
  if (file !== undefined) throw new CommandFailure('A gateway has agents of its own: name one with --agent.');
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
