import type { Person, Store } from '@plugboard/store';
import type { Channel } from '../channels/channel.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';
import { type ChannelAccess, createAccess, WELCOME } from './access.ts';
import { CODE_MS, newPairingCode, pairingHash } from './pairing-codes.ts';
import type { AccessPolicy } from './policy.ts';

/** Who may talk, in all channels. */
export interface Accesses {
  of(channel: string): ChannelAccess;
  add(channel: Channel): void;
  remove(channel: string): void;
  /** Pairs the person who was given this code. Undefined when nobody waits with it. */
  accept(typed: string, by: string): Promise<Person | undefined>;
  /** Lets a person in who has asked. Undefined when there is no such request. */
  acceptRequest(channel: string, sender: string, by: string): Promise<Person | undefined>;
  /** Makes a code that pairs the first person who sends it to `channel`. */
  invite(channel: string, by: string): Promise<string>;
}

interface AccessesOptions {
  readonly policyOf: (channel: string) => AccessPolicy | undefined;
  readonly store: Pick<Store, 'people'>;
  readonly clock: Clock;
  readonly log: Logger;
}

export function createAccesses({ policyOf, store, clock, log }: AccessesOptions): Accesses {
  const welcome = (person: Person | undefined, by: string): Person | undefined => {
    if (person === undefined) return undefined;
    const { channel, sender, place } = person;
    log.info('A person was let in.', { code: 'person-paired', channel, sender, by });
    accesses.get(channel)?.notices.tell(place, WELCOME);
    return person;
  };
  const accept = async (codeHash: string, by: string): Promise<Person | undefined> =>
    welcome(await store.people.acceptCode(codeHash, by), by);
  const accesses = new Map<string, ChannelAccess>();
  return {
    of(channel) {
      const found = accesses.get(channel);
      if (found === undefined) throw new Error(`There is no channel ${channel}.`);
      return found;
    },
    add(channel) {
      const policy = (): AccessPolicy | undefined => policyOf(channel.name);
      accesses.set(channel.name, createAccess({ channel, policy, store, accept, clock, log }));
    },
    remove: (channel) => void accesses.delete(channel),
    async accept(typed, by) {
      const codeHash = pairingHash(typed);
      return codeHash === undefined ? undefined : accept(codeHash, by);
    },
    async acceptRequest(channel, sender, by) {
      const asking = await store.people.get(channel, sender);
      if (asking?.state !== 'asking') return undefined;
      const { name, place } = asking;
      return welcome(await store.people.pair({ channel, sender, name, place, by }), by);
    },
    async invite(channel, by) {
      const code = newPairingCode();
      await store.people.invite({ channel, codeHash: pairingHash(code) ?? '', by, expiresInMs: CODE_MS });
      return code;
    },
  };
}
