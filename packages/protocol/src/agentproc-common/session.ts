import type { AgentContext } from '../contract/agent-side.ts';
import type { LaunchContext } from '../contract/host-side.ts';
import type { SessionRef, Turn } from '../model/turn.ts';
import { originalId } from './carried-id.ts';

const UNNAMED = 'default';

/** The name a session is known by to agents. */
export function sessionName({ name }: SessionRef): string {
  return name || UNNAMED;
}

/** The placeholders that every wire version has. An absent value is the empty string. */
export function sessionValues({ session }: Turn, context: LaunchContext) {
  return {
    SESSION_ID: session.agentId ?? '',
    SESSION_NAME: sessionName(session),
    PROFILE_DIR: context.profileDir ?? '',
  };
}

/**
 * The `SessionRef` for the id and name that a host sent. A name alone does not identify a session, since many people
 * share it: without an id, `newSessionKey` begins a new session.
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
