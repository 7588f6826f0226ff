import { setTimeout as sleep } from 'node:timers/promises';
import { CommandFailure } from '../failure.ts';
import { type Address, request } from './client.ts';

/** A gateway that may be started anew meanwhile, at another address and with another token. */
export interface Contact {
  /** Where it is now; throws when there is none. */
  find(): Address;
  /** It is away, for this reason; or back, for none. */
  onAway(reason: string | undefined): void;
}

/** How long a gateway that has gone is waited for. */
const PATIENCE_MS = 60_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;

/** Tries of one thing, until it works or there is no hope left. */
export interface Patience {
  /** It works. */
  succeeded(): void;
  /** It did not: waits before the next try, or throws the failure when that is of no use. */
  failed(error: unknown, used: Address | undefined): Promise<void>;
}

export function createPatience(contact: Contact, signal?: AbortSignal): Patience {
  let since: number | undefined;
  let pause = FIRST_PAUSE_MS;
  return {
    succeeded() {
      if (since !== undefined) contact.onAway(undefined);
      since = undefined;
      pause = FIRST_PAUSE_MS;
    },
    async failed(error, used) {
      if (!isPassing(error, used, contact)) throw error;
      if (since === undefined) contact.onAway(error.message);
      since ??= performance.now();
      if (performance.now() - since > PATIENCE_MS) throw error;
      await sleep(pause, undefined, { ...(signal === undefined ? {} : { signal }) }).catch(() => {});
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    },
  };
}

/** One that was started anew has left us another token. */
function isPassing(error: unknown, used: Address | undefined, contact: Contact): error is CommandFailure {
  if (!(error instanceof CommandFailure)) return false;
  if (error.code === 'unreachable') return true;
  return error.code === 'unauthenticated' && used !== undefined && tokenNow(contact) !== used.token;
}

function tokenNow({ find }: Contact): string | undefined {
  try {
    return find().token;
  } catch {
    return undefined;
  }
}

/** Asks until it is answered. What is asked must be safe to ask twice. */
export async function insist<T>(contact: Contact, method: string, path: string, body?: unknown): Promise<T> {
  const patience = createPatience(contact);
  for (;;) {
    let address: Address | undefined;
    try {
      address = contact.find();
      const answer = await request<T>(address, method, path, body);
      patience.succeeded();
      return answer;
    } catch (error) {
      await patience.failed(error, address);
    }
  }
}
