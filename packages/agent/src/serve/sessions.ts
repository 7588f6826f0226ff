import {
  type AgentEffect,
  type AgentInput,
  type HistoryEntry,
  type KnownSession,
  reasonOf,
} from '@plugboard/protocol';

/** What was said in earlier conversations, for hosts that list sessions and open them again. */
export interface History {
  /** The sessions, newest first. `next` is the `cursor` of those that follow. */
  list(filter: {
    readonly workspace?: string;
    readonly cursor?: string;
  }): Promise<{ readonly sessions: readonly KnownSession[]; readonly next?: string }>;
  /** Whether there is such a session. */
  has(sessionKey: string): Promise<boolean>;
  /** What was said in a session; undefined where there is no such session. */
  read(sessionKey: string): Promise<readonly HistoryEntry[] | undefined>;
}

type OpenSession = Extract<AgentEffect, { type: 'open-session' }>;
type ListSessions = Extract<AgentEffect, { type: 'list-sessions' }>;
type Opened = Extract<AgentInput, { type: 'session-opened' }>;
type Listed = Extract<AgentInput, { type: 'sessions-listed' }>;

/** Looks a session up that the host says was there before. */
export async function findSession(
  { session: { key: sessionKey }, known, replay }: OpenSession,
  history: History | undefined,
): Promise<Opened> {
  const opened: Opened = { type: 'session-opened', sessionKey };
  if (!known || history === undefined) return opened;
  try {
    const said = replay ? await history.read(sessionKey) : undefined;
    if (said !== undefined) return { ...opened, history: said };
    if (!replay && (await history.has(sessionKey))) return opened;
    const message = 'There is no such session.';
    return { ...opened, failure: { message, code: 'unknown-session' } };
  } catch (error) {
    const message = `The session cannot be read: ${reasonOf(error)}`;
    return { ...opened, failure: { message, code: 'no-history' } };
  }
}

/** Lists the sessions; none where they cannot be read, which `log` is told. */
export async function listSessions(
  { listId, workspace, cursor }: ListSessions,
  history: History | undefined,
  log: (text: string) => void,
): Promise<Listed> {
  const filter = {
    ...(workspace === undefined ? {} : { workspace }),
    ...(cursor === undefined ? {} : { cursor }),
  };
  try {
    const page = await history?.list(filter);
    return { type: 'sessions-listed', listId, ...(page ?? { sessions: [] }) };
  } catch (error) {
    log(`The sessions cannot be listed: ${reasonOf(error)}`);
    return { type: 'sessions-listed', listId, sessions: [] };
  }
}
