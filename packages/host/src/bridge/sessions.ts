import type { AgentEffect, AgentInput, SessionRef } from '@plugboard/protocol';
import type { CloseOptions, OpenAgent } from '../agent.ts';
import { type BridgeOptions, bridge } from './bridge.ts';
import type { OpenRelay, Relay } from './front.ts';
import { offerOf } from './introduction.ts';
import type { FrontRequest } from './machine.ts';

/** The agent for a session of a front. */
export interface SessionAgent {
  readonly agent: OpenAgent;
  readonly options?: BridgeOptions;
}

/**
 * Opens the agent for a session. `workspace` is the directory that the session is about. An agent that it returns for
 * two sessions has them both.
 */
export type OpenSessionAgent = (session: SessionRef, workspace: string | undefined) => SessionAgent;

/** A bridge for fronts with many conversations in one process. */
export interface SessionsBridge {
  readonly relay: Relay;
  /** Closes all agents. */
  close(options?: CloseOptions): Promise<void>;
}

/** An open agent with its bridge. */
interface Lane {
  readonly agent: OpenAgent;
  /** Distinguishes ids that two agents may give alike. */
  readonly prefix: string;
  /** Keys of the sessions that have this agent. */
  readonly sessions: Set<string>;
  readonly relay: OpenRelay;
}

interface Sessions {
  readonly open: OpenSessionAgent;
  readonly tell: (input: AgentInput) => Promise<void>;
  readonly lanes: Map<OpenAgent, Lane>;
  readonly bySession: Map<string, Lane>;
  /** Turns of the front that have not ended, by id. */
  readonly turns: Map<string, Lane>;
  /** Open questions, by the id that the front knows. */
  readonly asks: Map<string, { readonly lane: Lane; readonly askId: string }>;
  /** Closes an agent that no session has any more. */
  readonly retire: (lane: Lane) => void;
  opened: number;
}

type Request = AgentEffect | FrontRequest;

/** Each session has an agent of its own: none waits for the turn or the question of another. */
export function bridgeSessions(open: OpenSessionAgent): SessionsBridge {
  const lanes = new Map<OpenAgent, Lane>();
  const retired = new Set<OpenAgent>();
  const retire = ({ agent, relay }: Lane): void => {
    retired.add(agent);
    relay.take({ type: 'input-end' });
    void relay.done.then(() => agent.close()).then(() => retired.delete(agent));
  };
  return {
    relay(tell) {
      const done = Promise.withResolvers<void>();
      const sessions: Sessions = {
        open,
        tell,
        lanes,
        bySession: new Map(),
        turns: new Map(),
        asks: new Map(),
        retire,
        opened: 0,
      };
      const finish = async (): Promise<void> => {
        await Promise.all([...lanes.values()].map(({ relay }) => relay.done));
        done.resolve();
      };
      return {
        done: done.promise,
        take(request) {
          takeRequest(sessions, request);
          if (request.type === 'input-end' || request.type === 'stop') void finish();
        },
      };
    },
    async close(how) {
      await Promise.all([...lanes.keys(), ...retired].map((agent) => agent.close(how)));
    },
  };
}

function takeRequest(sessions: Sessions, request: Request): void {
  const { lanes, turns, asks } = sessions;
  switch (request.type) {
    case 'turn':
      return takeTurn(sessions, request);
    case 'interrupt':
      return turns.get(request.turnId ?? '')?.relay.take(request);
    case 'answer':
    case 'cannot-ask': {
      const asked = asks.get(request.askId);
      asks.delete(request.askId);
      return asked?.lane.relay.take({ ...request, askId: asked.askId });
    }
    case 'open-session':
      return void openSession(sessions, request);
    case 'close-session':
      return closeSession(sessions, request.sessionKey);
    case 'input-end':
    case 'stop':
    case 'give-up':
      for (const { relay } of lanes.values()) relay.take(request);
  }
}

function takeTurn(sessions: Sessions, request: Request & { type: 'turn' }): void {
  const { id, session, extensions } = request.turn;
  const workspace = extensions?.workspace;
  const lane = laneOf(sessions, session, typeof workspace === 'string' ? workspace : undefined);
  sessions.turns.set(id, lane);
  lane.relay.take(request);
}

async function openSession(
  sessions: Sessions,
  { session, workspace }: Request & { type: 'open-session' },
): Promise<void> {
  await offerOf(laneOf(sessions, session, workspace).agent, session);
  await sessions.tell({ type: 'session-opened', sessionKey: session.key });
}

function closeSession({ lanes, bySession, retire }: Sessions, key: string): void {
  const lane = bySession.get(key);
  if (lane === undefined) return;
  bySession.delete(key);
  lane.sessions.delete(key);
  if (lane.sessions.size > 0) return;
  lanes.delete(lane.agent);
  retire(lane);
}

function laneOf(sessions: Sessions, session: SessionRef, workspace: string | undefined): Lane {
  const { lanes, bySession } = sessions;
  const known = bySession.get(session.key);
  if (known !== undefined) return known;
  const { agent, options } = sessions.open(session, workspace);
  const lane = lanes.get(agent) ?? createLane(sessions, agent, options);
  lanes.set(agent, lane);
  lane.sessions.add(session.key);
  bySession.set(session.key, lane);
  return lane;
}

function createLane(sessions: Sessions, agent: OpenAgent, options: BridgeOptions | undefined): Lane {
  const relay = bridge(agent, options).relay((input) => passOn(sessions, lane, input));
  const lane: Lane = { agent, prefix: `${++sessions.opened}-`, sessions: new Set(), relay };
  return lane;
}

/** Passes an input on to the front, with ids that no other agent has. */
function passOn({ tell, turns, asks }: Sessions, lane: Lane, input: AgentInput): Promise<void> {
  const turnIdOf = (id: string): string => (turns.has(id) ? id : lane.prefix + id);
  switch (input.type) {
    case 'event': {
      const turnId = input.turnId === undefined ? undefined : turnIdOf(input.turnId);
      const { event } = input;
      if (event.type === 'end' && turnId !== undefined) turns.delete(turnId);
      if (event.type === 'steered') for (const id of event.inputs) turns.delete(id);
      // What an agent with several sessions says outside a turn is about all of them.
      const [sessionKey, other] = lane.sessions;
      const of = sessionKey === undefined || other !== undefined ? {} : { sessionKey };
      return tell({ ...input, turnId, ...of });
    }
    case 'ask': {
      const askId = lane.prefix + input.askId;
      asks.set(askId, { lane, askId: input.askId });
      return tell({ ...input, askId, turnId: turnIdOf(input.turnId) });
    }
    case 'withdraw': {
      const askId = lane.prefix + input.askId;
      asks.delete(askId);
      return tell({ ...input, askId });
    }
    default:
      return tell(input);
  }
}
