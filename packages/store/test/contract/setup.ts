import type { End } from '@plugboard/protocol';
import { afterEach, beforeEach } from 'vitest';
import type { Said } from '../../src/contract/event-log.ts';
import type { Admission } from '../../src/contract/inbox.ts';
import type { NewDelivery } from '../../src/contract/outbox.ts';
import type { Message, Session } from '../../src/contract/records.ts';
import type { Store } from '../../src/contract/store.ts';
import type { Claim } from '../../src/contract/turns.ts';

/** A store under test, with the clock it goes by. */
export interface Opened {
  readonly store: Store;
  readonly clock: { now: number };
  /** Opens the same data again, as after a restart. */
  reopen(): Promise<Store>;
  destroy(): Promise<void>;
}

export type OpenStore = () => Promise<Opened>;

/** Opens a store before each test and destroys it after. */
export function useStore(open: OpenStore): Opened {
  let opened: Opened;
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(() => opened.destroy());
  return {
    get store() {
      return opened.store;
    },
    get clock() {
      return opened.clock;
    },
    reopen: () => opened.reopen(),
    destroy: () => opened.destroy(),
  };
}

export const HOLDER = { node: 'north', leaseMs: 30_000, limit: 10 };

export function place(name: string, channel = 'web'): { channel: string; place: string; agent: string } {
  return { channel, place: name, agent: 'echo' };
}

let sources = 0;

/** Says something in a session. */
export function say(store: Store, session: Session, text: string, source?: string): Promise<Admission> {
  sources += 1;
  return store.inbox.admit({
    source: source ?? `test:${sources}`,
    sessionId: session.id,
    text,
    attachments: [],
    sender: 'ada',
  });
}

export function message(text: string): Said {
  return { type: 'message', text, media: [] };
}

export function success(text: string): End {
  return { type: 'end', outcome: 'success', text };
}

export function delivery(text: string, to = 'hall', channel = 'web'): NewDelivery {
  return { channel, place: to, body: { text }, expiresInMs: 60_000 };
}

/** The one claim there is to be had, of which the agent has heard nothing yet. */
export async function claimUnheard(store: Store, node = HOLDER.node): Promise<Claim> {
  const [claim, ...others] = await store.turns.claim({ ...HOLDER, node });
  if (claim === undefined || others.length > 0) throw new Error(`${others.length + 1} sessions, not one`);
  return claim;
}

/** The one claim there is to be had, whose message is given to its agent. */
export async function claimOne(store: Store, node = HOLDER.node): Promise<Claim> {
  const claim = await claimUnheard(store, node);
  await store.turns.record(claim, { given: claim.message === undefined ? [] : [claim.message.id] });
  return claim;
}

/** A session with one message, claimed. */
export async function claimed(store: Store, name = 'hall'): Promise<Claim> {
  await say(store, await store.sessions.open(place(name)), 'hello');
  return claimOne(store);
}

/** Everything in the log of a session, in short. */
export async function transcript(store: Store, sessionId: string): Promise<string[]> {
  const events = await store.log.read(sessionId, { after: 0, limit: 1_000 });
  return events.map(({ number, event }) => {
    const text = 'text' in event ? `: ${event.text}` : '';
    return `${number} ${event.type}${text}`;
  });
}

/** Takes the messages that wait into the running turn. */
export async function takeWaiting(store: Store, claim: Claim): Promise<readonly Message[]> {
  return (await store.turns.record(claim, { takeWaiting: true })).taken;
}
