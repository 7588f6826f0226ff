import { type Client, insist as insistOn, type PatienceOptions } from '@plugboard/client';
import { reasonOf } from '@plugboard/protocol';
import { CommandFailure } from '../failure.ts';
import { type Address, askGateway } from './client.ts';

/** A gateway that may restart meanwhile, with another address and another token. */
export interface Contact {
  /** The current address from `instanceFile`; throws when no gateway runs. */
  find(): Address;
  /** Called with a reason when the gateway is unreachable, and with undefined when it is reachable again. */
  onAway(reason: string | undefined): void;
}

/** A gateway that is unreachable for longer, 60 s, ends the command. */
const PATIENCE_MS = 60_000;
const LONGEST_PAUSE_MS = 2_000;

/** How failures of a gateway are waited out; `used` gives the address of the last try. */
export function patienceWith(contact: Contact, used: () => Address | undefined): PatienceOptions {
  return {
    patienceMs: PATIENCE_MS,
    longestPauseMs: LONGEST_PAUSE_MS,
    isPassing: (error) => isPassing(error, used(), contact),
    onAway: (error) => contact.onAway(error === undefined ? undefined : reasonOf(error)),
  };
}

/**
 * Passing errors: the gateway is `unreachable`, or it rejected a token that a restart has replaced in `instanceFile`.
 */
function isPassing(error: unknown, used: Address | undefined, contact: Contact): boolean {
  if (!(error instanceof CommandFailure)) return false;
  if (error.code === 'unreachable') return true;
  return error.code === 'unauthenticated' && used !== undefined && readToken(contact) !== used.token;
}

function readToken({ find }: Contact): string | undefined {
  try {
    return find().token;
  } catch {
    return undefined;
  }
}

/** Repeats `question` until it is answered. It must be idempotent, since an answer may have been lost. */
export function retryGateway<T>(contact: Contact, question: (client: Client) => Promise<T>): Promise<T> {
  let used: Address | undefined;
  const tryOnce = (): Promise<T> => {
    used = undefined;
    used = contact.find();
    return askGateway(used, question);
  };
  return insistOn(
    tryOnce,
    patienceWith(contact, () => used),
  );
}
