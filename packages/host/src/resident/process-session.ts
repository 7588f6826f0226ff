import { dialects, type HostEffect, type SessionRef, type Turn } from '@plugboard/protocol';
import type { Profile } from '../profile/profile.ts';

/** The session of a process whose dialect has one session for each process. */
export interface ProcessSession {
  /** The session that it was started for; undefined for a process that was started without one. */
  readonly ref: SessionRef | undefined;
  /** Ids of the agent for this session: the one that the process was started with, and those that it has told. */
  readonly agentIds: Set<string>;
  isUsed: boolean;
}

/** Whether a process of this agent belongs to one session, whose id it is started with. */
export function hasSessionPerProcess({ dialect, settings }: Profile): boolean {
  const { capabilities, host } = dialects[dialect];
  const { session, conversations } = capabilities;
  const isShared = host.sharesProcess?.(settings) ?? conversations === 'many';
  return session === 'both' && !isShared;
}

export function createProcessSession(ref: SessionRef | undefined): ProcessSession {
  const agentIds = new Set(ref?.agentId === undefined ? [] : [ref.agentId]);
  return { ref, agentIds, isUsed: false };
}

/** Whether a turn of this session can be given to the process. */
export function fitsSession({ ref, agentIds, isUsed }: ProcessSession, session: SessionRef): boolean {
  if (ref !== undefined && ref.key !== session.key) return false;
  if (session.agentId === undefined) return ref !== undefined || !isUsed;
  return agentIds.has(session.agentId);
}

/** Notes ids that the agent tells. */
export function noteAgentIds({ agentIds }: ProcessSession, effect: HostEffect): void {
  if (effect.type !== 'events') return;
  for (const event of effect.events) if (event.type === 'session') agentIds.add(event.id);
}

/** The turn without the id of a session that the agent no longer knows. */
export function withoutLostSession(turn: Turn, lost: ReadonlySet<string>): Turn {
  const { agentId, ...session } = turn.session;
  return agentId !== undefined && lost.has(agentId) ? { ...turn, session } : turn;
}
