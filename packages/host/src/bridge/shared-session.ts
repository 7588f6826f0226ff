import type { Event, Failure, HostEffect, SessionRef, Turn } from '@plugboard/protocol';
import type { OpenAgent } from '../agent.ts';
import { ownerOf } from './conversation.ts';
import { introduction } from './introduction.ts';
import type { AgentReport } from './machine.ts';

/** Notes the first owner of a session key that meets an agent's own session; returns the owner that met it first. */
export type ClaimAgentSession = (agentId: string, owner: string) => string;

/**
 * Prevents two session keys from sharing one agent session, where the command of a resident agent, not the `Turn`,
 * selects that session.
 */
export interface SessionGuard {
  /** Why the agent must not be given this turn, as far as its `ready` event tells the session in advance. */
  problemOf(turn: Turn): Promise<Failure | undefined>;
  /** The refusal of a turn whose `ready` or `session` event names the agent session of another key. */
  refusalIn(effect: HostEffect): (AgentReport & { type: 'refuse' }) | undefined;
}

/** Passes every turn where `claim` is absent, and for agents with `session: 'both'`, which get their id with each turn. */
export function createSessionGuard(agent: OpenAgent, claim: ClaimAgentSession | undefined): SessionGuard {
  const { resident, capabilities } = agent;
  const isNeeded = claim !== undefined && resident !== undefined && capabilities.session === 'none';
  /** Sessions of the turns that were sent and have not ended, by turn id. */
  const sessions = new Map<string, SessionRef>();
  // `ready` comes once: a second turn must not wait for it again.
  let agentId: Promise<string | undefined> | undefined;
  const isFree = (id: string | undefined, { key, lasts }: SessionRef): boolean =>
    // A key with `lasts: 'process'` is made by us and names no person: the command of the agent chooses the session.
    claim === undefined ||
    id === undefined ||
    lasts === 'process' ||
    claim(id, ownerOf(key)) === ownerOf(key);
  return {
    async problemOf({ id, session }) {
      if (!isNeeded) return undefined;
      sessions.set(id, session);
      if (session.lasts === 'process') return undefined;
      agentId ??= introduction(agent, session.key).then((ready) => ready?.session);
      return isFree(await agentId, session) ? undefined : sharedSession(agent);
    },
    refusalIn(effect) {
      if (!isNeeded) return undefined;
      if (effect.type === 'input' && effect.state === 'taken' && effect.turnId !== effect.inputId)
        sessions.delete(effect.inputId);
      if (effect.type !== 'events') return undefined;
      const { turnId, events } = effect;
      const id = events.reduce<string | undefined>((last, event) => agentIdIn(event) ?? last, undefined);
      if (id !== undefined) agentId = Promise.resolve(id);
      if (turnId === undefined) return undefined;
      const session = sessions.get(turnId);
      if (events.at(-1)?.type === 'end') sessions.delete(turnId);
      if (session === undefined || isFree(id, session)) return undefined;
      return { type: 'refuse', turnId, failure: sharedSession(agent) };
    },
  };
}

function agentIdIn(event: Event): string | undefined {
  if (event.type === 'ready') return event.session;
  return event.type === 'session' ? event.id : undefined;
}

function sharedSession({ name }: OpenAgent): Failure {
  const message = `${name} would answer in the conversation of somebody else: its command leads every session to the same one of its own. Put {session} into the command, such as --db {session}.db, so that each session has its own; or say --session NAME, so that all are meant to be one.`;
  return { code: 'shared-session', message };
}
