import type { Event, Failure, Turn } from '@plugboard/protocol';
import type { OpenAgent } from '../agent.ts';
import { ownerOf } from './conversation.ts';
import { introduction } from './resident.ts';

/** Notes the first owner of a session key that meets an agent's own session; returns the owner that met it first. */
export type ClaimAgentSession = (agentId: string, owner: string) => string;

/** Keeps two session keys from sharing one session of a resident agent, whose command alone decides which it is. */
export interface SessionGuard {
  /** Why the agent must not be given this turn, as far as it tells its session before it has one. */
  problemOf(turn: Turn): Promise<Failure | undefined>;
  /** The events of a turn. A `ready` or `session` event with the agent session of another key ends it as failed. */
  watch(turn: Turn, run: AsyncIterable<Event>): AsyncIterable<Event>;
}

/** Passes every turn where `claim` is absent, and for one-shot agents, which get their session id with each turn. */
export function createSessionGuard(agent: OpenAgent, claim: ClaimAgentSession | undefined): SessionGuard {
  // `ready` comes once: a second turn must not wait for it again.
  let agentId: Promise<string | undefined> | undefined;
  const isFree = (id: string | undefined, { session: { key, lasts } }: Turn): boolean =>
    // A key with `lasts: 'process'` is made by us and names no person: the command of the agent chooses the session.
    claim === undefined ||
    id === undefined ||
    lasts === 'process' ||
    claim(id, ownerOf(key)) === ownerOf(key);
  async function* guarded(turn: Turn, run: AsyncIterable<Event>): AsyncGenerator<Event> {
    for await (const event of run) {
      const id = agentIdIn(event);
      if (id !== undefined) agentId = Promise.resolve(id);
      if (isFree(id, turn)) yield event;
      else return yield { type: 'end', outcome: 'error', text: '', error: sharedSession(agent) };
    }
  }
  return {
    async problemOf(turn) {
      const { key, lasts } = turn.session;
      if (claim === undefined || agent.resident === undefined || lasts === 'process') return undefined;
      agentId ??= introduction(agent, key).then((ready) => ready?.session);
      return isFree(await agentId, turn) ? undefined : sharedSession(agent);
    },
    // An agent without a guard must not pay for a second iterator per event.
    watch: (turn, run) => (claim === undefined || agent.resident === undefined ? run : guarded(turn, run)),
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
