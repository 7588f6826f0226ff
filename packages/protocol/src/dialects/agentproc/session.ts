import type { SessionRef, Turn } from '../../model/turn.ts';
import type { AgentContext, LaunchContext } from '../dialect.ts';
import { originalId } from './carried-id.ts';

const UNNAMED = 'default';

/** The name a session is known by to agents. */
export function sessionName({ name }: SessionRef): string {
  return name || UNNAMED;
}

/** The placeholders that every version has; a value that is not there is empty. */
export function sessionValues({ session }: Turn, context: LaunchContext) {
  return {
    SESSION_ID: session.agentId ?? '',
    SESSION_NAME: sessionName(session),
    PROFILE_DIR: context.profileDir ?? '',
  };
}

/**
 * The session an agent was told of. The host keeps the agent's id and brings it again; a name is for people, many of whom
 * share it, so that a turn without an id begins a new session.
 */
export function sessionFrom(
  id: unknown,
  name: unknown,
  newSessionKey: AgentContext['newSessionKey'] = () => UNNAMED,
): SessionRef {
  const known = typeof name === 'string' && name !== '' ? name : UNNAMED;
  if (typeof id !== 'string' || id === '') return { key: newSessionKey(), name: known, lasts: 'turn' };
  const agentId = originalId(id);
  return { key: agentId, agentId, name: known, lasts: 'turn' };
}
