import { type OpenAgent, open } from '@plugboard/host';
import { createTurn, type DialectName, type End, type Event } from '@plugboard/protocol';
import { profileFor, startedAs, temporaryDirectory } from '@plugboard/testkit';

/** What a user sees of a turn. */
export interface Seen {
  readonly texts: string[];
  readonly progress: string[];
  readonly faults: string[];
  readonly streamed: string;
  readonly end: End | undefined;
}

/** A conversation with one agent, closed and cleaned up at the end of the block. */
export interface Conversation extends AsyncDisposable {
  readonly agent: OpenAgent;
  say(text: string): Promise<Seen>;
}

/** Opens the agent that a command starts and talks to it, keeping the ids it gives. */
export function converse(
  dialect: DialectName,
  argv: readonly string[],
  environment: Record<string, string> = {},
): Conversation {
  const workspace = temporaryDirectory();
  const settings = dialect === 'agentproc' ? { maxReplyChars: 0 } : {};
  const profile = profileFor(dialect, startedAs(dialect, argv), workspace.path, settings);
  const quiet = { PYTHONDONTWRITEBYTECODE: '1' };
  const agent = open(profile, { environment: { ...process.env, ...quiet, ...environment } });
  let agentId: string | undefined;
  return {
    agent,
    async say(text) {
      const session = { key: 'talk', ...(agentId === undefined ? {} : { agentId }) };
      const events: Event[] = [];
      for await (const event of agent.run(createTurn({ id: 'x', text, session }))) {
        if (event.type === 'session') agentId = event.id;
        events.push(event);
      }
      return seen(events);
    },
    async [Symbol.asyncDispose]() {
      await agent.close();
      workspace[Symbol.dispose]();
    },
  };
}

function seen(events: readonly Event[]): Seen {
  const of = <T extends Event['type']>(type: T) =>
    events.filter((event): event is Event & { type: T } => event.type === type);
  return {
    texts: of('message').map(({ text }) => text),
    progress: of('progress').map(({ text }) => text),
    faults: of('fault').map(({ fault }) => fault.message),
    streamed: of('delta')
      .map(({ text }) => text)
      .join(''),
    end: of('end')[0],
  };
}
