import {
  type End,
  type Event,
  isObject,
  type Log,
  type PermissionQuestion,
  type Turn,
} from '@plugboard/protocol';
import type { OpenAgent } from '../agent.ts';
import { type ConversationOptions, conversations } from './conversation.ts';
import { type Front, passOn } from './front.ts';
import { inWords, withAnswer } from './operation.ts';
import { type ClaimAgentSession, createSessionGuard, type SessionGuard } from './shared-session.ts';
import { passSteering } from './steering.ts';

/** How a bridge treats sessions. */
export interface BridgeOptions extends ConversationOptions {
  /** Called with the name of a conversation that the front wants to begin anew. */
  readonly forget?: (key: string) => void;
  /** Whether the agent has given an id for a conversation before. */
  readonly isKnown?: (key: string) => boolean;
  /** Refuses turns whose session key would share an agent's own session with another key. */
  readonly claim?: ClaimAgentSession;
}

/**
 * A handler that lets an open agent answer: any dialect in front, any agent behind. Messages that come during a turn
 * are passed on where the agent can be steered, and wait for their own turn where it cannot. A named operation is put
 * into words for an agent that knows none.
 */
export function bridge(
  agent: OpenAgent,
  options: BridgeOptions = {},
): (turn: Turn, front: Front) => Promise<void> {
  const belonging = conversations(agent, options);
  const guard = createSessionGuard(agent, options.session === undefined ? options.claim : undefined);
  return async (given, front) => {
    const turn = belonging(given);
    if (beginsAnew(turn)) options.forget?.(turn.session.key);
    const error = await guard.problemOf(turn);
    if (error !== undefined) return front.emit({ type: 'end', outcome: 'error', text: '', error });
    const inTerms = agent.capabilities.operations ? turn : inWords(turn);
    const stopSteering = passSteering(agent, front);
    try {
      // An agent without ids of its own knows the conversation by the key: the front is to bring that again.
      if (agent.capabilities.session === 'none' && turn !== given)
        await front.emit({ type: 'session', id: turn.session.key });
      for (const remark of [leftOut(turn, agent), unheeded(turn, agent, options)])
        if (remark !== undefined) await front.emit(remark);
      const end = await answered(agent, guard, inTerms, front);
      if (!front.signal.aborted) await handedOver(agent);
      if (end !== undefined) await front.emit(end);
    } finally {
      stopSteering();
    }
  };
}

/**
 * What the agent answers in a turn of its own has begun, and stands in line with the front: a front whose input has ended
 * works that off before it leaves.
 */
async function handedOver({ resident }: OpenAgent): Promise<void> {
  await resident?.whenSteered();
  await new Promise((resolve) => setImmediate(resolve));
}

/** Runs a turn and completes its end with what the operation answers with. */
async function answered(
  agent: OpenAgent,
  guard: SessionGuard,
  turn: Turn,
  front: Front,
): Promise<End | undefined> {
  const said: string[] = [];
  const keeps = turn.operation !== undefined && !agent.capabilities.operations;
  const { permission } = front;
  const ask = permission && (({ tool, input }: PermissionQuestion) => permission(tool, input));
  const events = guard.watch(turn, agent.run(turn, front.signal, ask));
  const end = await passOn(events, withoutIds(front, agent), keeps ? said : undefined);
  return end === undefined || !keeps ? end : withAnswer(turn, end, said);
}

/** An agent that cannot be given an id again must not tell it to the front, which would bring it instead of the key. */
function withoutIds(front: Front, { capabilities }: OpenAgent): Front {
  if (capabilities.session !== 'none') return front;
  const { signal, steering } = front;
  const emit = (event: Event) => (event.type === 'session' ? Promise.resolve() : front.emit(event));
  return { signal, steering, emit };
}

/** Says what of a message the agent cannot be given. */
function leftOut({ extensions }: Turn, { dialect, name }: OpenAgent): Log | undefined {
  const blocks = extensions?.other_blocks;
  if (!Array.isArray(blocks) || blocks.length === 0 || dialect === 'nuum') return undefined;
  const text = `${name} takes text alone: ${blocks.length} other blocks of the message were left out.`;
  return { type: 'log', level: 'warning', text, source: 'host' };
}

/** Says which wish about the conversation the agent cannot fulfil: it keeps none, or cannot be asked for another. */
function unheeded(turn: Turn, { capabilities, name }: OpenAgent, options: BridgeOptions): Log | undefined {
  if (capabilities.operations) return undefined;
  const { key } = turn.session;
  const text =
    capabilities.session === 'none'
      ? beginsAnew(turn) && capabilities.resident
        ? `${name} keeps its own conversation, which goes on: it cannot be asked for a new one.`
        : undefined
      : isResumed(turn) && options.isKnown?.(key) === false
        ? `${name} has kept no conversation of this name: a new one begins.`
        : undefined;
  return text === undefined ? undefined : { type: 'log', level: 'warning', text, source: 'host' };
}

function isResumed({ operation }: Turn): boolean {
  const session = operation?.fields.session;
  return isObject(session) && session.resume === true;
}

function beginsAnew({ operation }: Turn): boolean {
  const session = operation?.fields.session;
  return isObject(session) && session.new === true && session.resume !== true;
}
