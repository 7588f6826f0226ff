import { userInfo } from 'node:os';
import type { SessionView } from '@plugboard/client';
import { CommandFailure } from '../../failure.ts';
import { type Contact, retryGateway } from '../contact.ts';

/** Finds the sessions of a gateway by the keys of a front, and the other way round. */
export interface SessionPlaces {
  /** The live session for the key of a front, which begins where there is none. */
  open(key: string): Promise<SessionView>;
  /** The session for a key that the front says was there before. */
  find(key: string): Promise<SessionView | undefined>;
  keyOf(session: SessionView): string;
  /** Whether the front may see the session in a list. */
  isShown(session: SessionView): boolean;
}

const CHANNEL = 'cli';

/** Keys that the front has made itself; any other key is the id of a session that the gateway has listed. */
const OWN_KEY = /^new-[\da-f-]+$/;

/** A session that the front began has its key as its place. Without `agent`, the agent of a new session is the default. */
export function createSessionPlaces(contact: Contact, agent: string | undefined): SessionPlaces {
  const prefix = `${userInfo().username}:`;
  const chosen = agent === undefined ? {} : { agent };
  const open = (key: string): Promise<SessionView> =>
    retryGateway(contact, ({ sessions }) =>
      sessions.open({ channel: CHANNEL, place: prefix + key, ...chosen }),
    );
  const get = (id: string): Promise<SessionView | undefined> =>
    undefinedIfMissing(retryGateway(contact, ({ sessions }) => sessions.get(id)));
  const find = (key: string): Promise<SessionView | undefined> =>
    undefinedIfMissing(
      retryGateway(contact, ({ sessions }) =>
        sessions.open({ channel: CHANNEL, place: prefix + key, begin: false }),
      ),
    );
  return {
    open: async (key) => (OWN_KEY.test(key) ? open(key) : ((await get(key)) ?? open(key))),
    find: (key) => (OWN_KEY.test(key) ? find(key) : get(key)),
    keyOf({ id, channel, place }) {
      const key = place.startsWith(prefix) ? place.slice(prefix.length) : '';
      return channel === CHANNEL && OWN_KEY.test(key) ? key : id;
    },
    isShown: (session) => agent === undefined || session.agent === agent,
  };
}

/** Undefined when the gateway answers `not-found`. */
async function undefinedIfMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof CommandFailure && error.code === 'not-found') return undefined;
    throw error;
  }
}
