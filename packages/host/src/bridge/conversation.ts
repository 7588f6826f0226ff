import { isObject, type Operation, type SessionRef, type Turn } from '@plugboard/protocol';
import type { OpenAgent } from '../agent.ts';
import { projectOf } from './operation.ts';

/** How the turns of a front are told apart. */
export interface ConversationOptions {
  /** Makes a unique id for a new conversation. */
  readonly newSessionId?: () => string;
  /** The key of a conversation that lasts as long as this process; one of `newSessionId` when absent. */
  readonly processSession?: string;
  /** Replaces the session key of every turn, so that all turns are one conversation. */
  readonly session?: string;
}

/**
 * Assigns each turn of a front to its conversation. A turn that names none gets a new one, never that of another
 * caller.
 */
export function conversations(
  { capabilities }: OpenAgent,
  { session, newSessionId, processSession }: ConversationOptions,
): (turn: Turn) => Turn {
  let own = processSession;
  // Kept between turns: in an interactive operation, only the first turn has an `operation` that names the
  // conversation.
  let asked: string | undefined;
  return (turn) => {
    // An agent with `capabilities.operations` gets the session inside its operation, unchanged.
    if (turn.operation !== undefined && !capabilities.operations) asked = keyOf(turn.operation);
    if (session !== undefined) return { ...turn, session: { ...lasting(turn.session), key: session } };
    // The host's id stands for a conversation in its project. The agent's own id for it is kept in `SessionMemory`.
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

/**
 * The owner of a session key. All conversations of nib have the same owner (`OF_NIB`), because nib runs for one person
 * on one machine.
 */
export function ownerOf(key: string): string {
  return key.startsWith(OF_NIB) ? OF_NIB : key;
}

/** Includes the project, because two projects may give their conversations the same id. */
function keyOf({ fields: { dir, session } }: Operation): string {
  const id = isObject(session) && typeof session.id === 'string' ? session.id : '';
  return `${OF_NIB}${projectOf(dir)}${id === '' ? '' : `:${id}`}`;
}
