import { isObject, type Operation, type SessionRef, type Turn } from '@plugboard/protocol';
import type { OpenAgent } from '../agent.ts';
import { projectOf } from './operation.ts';

/** How the turns of a front are told apart. */
export interface ConversationOptions {
  /** Makes an id for a new conversation that no other has. */
  readonly newSessionId?: () => string;
  /** The key of a conversation that lasts as long as this process; one of `newSessionId` when absent. */
  readonly processSession?: string;
  /** The one conversation to have, whatever the front says. */
  readonly session?: string;
}

/** Assigns each turn of a front to its conversation. A turn that names none gets a new one, never that of another caller. */
export function conversations(
  { capabilities }: OpenAgent,
  { session, newSessionId, processSession }: ConversationOptions,
): (turn: Turn) => Turn {
  let own = processSession;
  // Stays from one turn to the next: in a talk, only the first thing said is an operation that names the conversation.
  let asked: string | undefined;
  return (turn) => {
    // An agent that knows operations is told the session with them, as the host said it.
    if (turn.operation !== undefined && !capabilities.operations) asked = keyOf(turn.operation);
    if (session !== undefined) return { ...turn, session: { ...lasting(turn.session), key: session } };
    // The id is the host's own and stands for a conversation in its project: what the agent calls it is remembered.
    if (asked !== undefined) return { ...turn, session: { key: asked } };
    if (turn.session.lasts === 'process') own ??= newSessionId?.();
    const key = turn.session.lasts === 'process' ? own : fresh(turn.session, newSessionId);
    return key === undefined ? turn : { ...turn, session: { ...turn.session, key } };
  };
}

function fresh({ lasts, agentId }: SessionRef, newSessionId: (() => string) | undefined): string | undefined {
  return lasts === 'turn' ? (agentId ?? newSessionId?.()) : undefined;
}

function lasting({ lasts: _, ...session }: SessionRef): SessionRef {
  return session;
}

const OF_NIB = 'nib:';

/** Who owns a session key. All conversations of nib, which runs for one person on one machine, have the same owner. */
export function ownerOf(key: string): string {
  return key.startsWith(OF_NIB) ? OF_NIB : key;
}

/** Two projects may well give their conversations the same id. */
function keyOf({ fields: { dir, session } }: Operation): string {
  const id = isObject(session) && typeof session.id === 'string' ? session.id : '';
  return `${OF_NIB}${projectOf(dir)}${id === '' ? '' : `:${id}`}`;
}
