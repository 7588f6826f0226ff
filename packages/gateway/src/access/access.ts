import type { Person, Store } from '@plugboard/store';
import type { Channel, Inbound, Taken } from '../channels/channel.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';
import { readCommand } from '../sessions/commands.ts';
import { createBudget, localDate } from './budget.ts';
import { createNotices, type Notices } from './notices.ts';
import { CODE_MS, invitationIn, newPairingCode, pairingHash } from './pairing-codes.ts';
import { type AccessPolicy, isKnown, judge } from './policy.ts';

/** Open pairing requests of one channel. */
const MOST_REQUESTS = 200;

/** Decides who may talk in one channel. */
export interface ChannelAccess {
  /** Undefined when the message is to be admitted; otherwise what has become of it. */
  check(message: Inbound): Promise<Taken | undefined>;
  /** Whether a person may talk at all, for presses of buttons. */
  isKnown(sender: string): Promise<boolean>;
  isOwner(sender: string): boolean;
  hasOwners(): boolean;
  /** Whether `/pair CODE` of this person lets strangers in who ask here. */
  mayPair(sender: string): boolean;
  /** Counts a message against the budget of its sender. The reason for a refusal, which the sender is told once. */
  takeBudget(message: Inbound): Promise<string | undefined>;
  /** Takes a counted message back that did not become a turn. */
  giveBack(message: Inbound): Promise<void>;
  /** Adds the cost of a turn of a person. */
  charge(sender: string, cost: { readonly amount: number; readonly currency: string }): Promise<void>;
  readonly notices: Notices;
}

export interface AccessOptions {
  readonly channel: Channel;
  /** Read for each message, so that a changed configuration applies at once. Undefined: the channel has its own logins. */
  readonly policy: () => AccessPolicy | undefined;
  readonly store: Pick<Store, 'people'>;
  /** Pairs the person who was given this code, in any channel, and tells that person. */
  readonly accept: (codeHash: string, by: string) => Promise<Person | undefined>;
  readonly clock: Clock;
  readonly log: Logger;
}

export function createAccess(options: AccessOptions): ChannelAccess {
  const { channel, policy, store, clock, log } = options;
  const notices = createNotices(channel, clock, log);
  const budget = createBudget(store.people, () => localDate(new Date(clock.date())));
  const inside = { ...options, notices };
  const isPaired = async (sender: string): Promise<boolean> =>
    (await store.people.get(channel.name, sender))?.state === 'paired';
  const hasBudget = (sender: string): AccessPolicy | undefined => {
    const now = policy();
    const isLimited = now?.turnsPerDay !== undefined || now?.costPerDay !== undefined;
    return isLimited && !now?.owners.includes(sender) ? now : undefined;
  };
  const principal = (sender: string): string => `${channel.name}:${sender}`;
  return {
    notices,
    async takeBudget({ sender, place, text }) {
      const limited = readCommand(text) === undefined ? hasBudget(sender) : undefined;
      const problem = limited === undefined ? undefined : await budget.take(limited, principal(sender));
      if (problem !== undefined) notices.tellOnce(place, `budget ${sender}`, problem);
      return problem;
    },
    async giveBack({ sender, text }) {
      if (readCommand(text) === undefined && hasBudget(sender)) await budget.giveBack(principal(sender));
    },
    async charge(sender, cost) {
      if (policy()?.costPerDay !== undefined) await budget.charge(principal(sender), cost);
    },
    isOwner: (sender) => policy()?.owners.includes(sender) === true,
    hasOwners: () => (policy()?.owners.length ?? 0) > 0,
    mayPair(sender) {
      const now = policy();
      return now?.pairing === true && now.owners.includes(sender);
    },
    async isKnown(sender) {
      const now = policy();
      return now === undefined || isKnown(now, sender, await isPaired(sender));
    },
    async check(message) {
      const now = policy();
      if (now === undefined) return undefined;
      const verdict = judge(now, message, await isPaired(message.sender));
      if (verdict.kind === 'ignore') return { kind: 'ignored' };
      if (verdict.kind === 'pair') return pair(inside, message);
      if (verdict.kind === 'refuse') return refuse(inside, message, verdict.reason);
      if (now.owners.includes(message.sender)) return acceptByOwner(inside, message);
      return undefined;
    },
  };
}

interface Inside extends AccessOptions {
  readonly notices: Notices;
}

function refuse({ notices }: Inside, { place, sender }: Inbound, reason: string): Taken {
  notices.tellOnce(place, `refused ${place} ${sender}`, reason);
  return notAllowed(reason);
}

function notAllowed(message: string): Taken {
  return { message, code: 'not-allowed', kind: 'refused' };
}

/** Redeems an invitation, or gives the stranger a code for the operator. */
async function pair(inside: Inside, message: Inbound): Promise<Taken> {
  const { store, channel, notices, log } = inside;
  const { place, sender, senderName: name = '', text } = message;
  const who = { channel: channel.name, sender, name, place };
  const invitation = invitationIn(text);
  const redeemed =
    invitation === undefined ? undefined : await store.people.redeem({ ...who, codeHash: invitation });
  if (redeemed !== undefined) {
    log.info('A person used an invitation.', { code: 'person-paired', channel: channel.name, sender });
    notices.tell(place, WELCOME);
    return notAllowed(WELCOME);
  }
  if (invitation !== undefined)
    notices.tellOnce(
      place,
      `wrong code ${sender}`,
      'This code is not good: it was used, has expired, or is mistyped.',
    );
  // Without a code that reaches the stranger, a request would stand there for an hour that nobody can accept by it.
  if (!notices.hasRoom()) return notAllowed('Too many strangers write at the moment.');
  const code = newPairingCode();
  const codeHash = pairingHash(code) ?? '';
  const asked = await store.people.ask({ ...who, codeHash, expiresInMs: CODE_MS, most: MOST_REQUESTS });
  const sentence = `I do not know you yet. To talk to me, give this code to the person who runs me: ${code}. It is good for one hour.`;
  if (asked === 'asked') {
    log.info('A stranger asks to be let in. plugboard pair CODE or the page accepts that.', {
      code: 'pairing-requested',
      channel: channel.name,
      sender,
    });
    notices.tellOnce(place, `code ${codeHash}`, sentence);
  }
  return notAllowed('A pairing code was given out for this person.');
}

/** What a person is told who may talk from now on. */
export const WELCOME = 'You may talk to me now. /help lists what I understand.';

/** `/pair CODE` of an owner lets a stranger in. */
async function acceptByOwner(
  { accept, channel, notices }: Inside,
  { text, place, sender }: Inbound,
): Promise<Taken | undefined> {
  const match = /^\/pair(?:@\S+)?(?:\s+(.*))?$/s.exec(text.trim());
  if (match === null) return undefined;
  const [, typed] = match;
  if (typed === undefined) {
    notices.tell(place, NO_CODE);
    return { kind: 'ignored' };
  }
  const hash = pairingHash(typed);
  const person = hash === undefined ? undefined : await accept(hash, `${channel.name}:${sender}`);
  notices.tell(
    place,
    person === undefined ? NO_REQUEST : `${person.name || person.sender} may talk to me now.`,
  );
  return { kind: 'ignored' };
}

const NO_CODE = 'Name the code that I have given to the person who is to be let in: /pair CODE.';
const NO_REQUEST = 'Nobody who is waiting has this code, or it is older than an hour.';
