import { type Client, ClientError, createClient } from '@plugboard/client';
import { CommandFailure } from '../failure.ts';
import { readInstance } from './instance.ts';
import { placeOf } from './place.ts';

/** How to reach a gateway. */
export interface Address {
  readonly url: string;
  readonly token: string;
  /** The gateway runs here and listens on all addresses (`Instance.everywhere`). */
  readonly everywhere?: boolean;
}

export interface AddressOptions {
  /** An address; without it, the gateway of this machine. */
  readonly gateway?: string | boolean;
  readonly data?: string;
}

/** Resolves `--gateway` to an address and its token; without an address, the gateway of this data directory. */
export function findGateway({ gateway, data }: AddressOptions): Address {
  const instance = readInstance(placeOf(data).instanceFile);
  const token = process.env.PLUGBOARD_TOKEN ?? '';
  if (typeof gateway === 'string') {
    const url = addressOf(gateway);
    const own = instance?.url === url ? instance.token : '';
    if (token === '' && own === '') {
      throw new CommandFailure(
        `Put a token for ${url} into PLUGBOARD_TOKEN; plugboard token create makes one there.`,
      );
    }
    return { url, token: token === '' ? own : token };
  }
  if (instance === undefined) {
    throw new CommandFailure(
      'No gateway is running here. Start one with plugboard up, or name one with --gateway URL.',
      1,
      'unreachable',
    );
  }
  const { url, everywhere = false } = instance;
  return { url, token: token === '' ? instance.token : token, everywhere };
}

function addressOf(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text.replace(/\/+$/, '');
  throw new CommandFailure(`--gateway ${text}: give an address, such as http://127.0.0.1:7420.`);
}

/** Sends a request to a gateway; turns a `ClientError` into a `CommandFailure` with the same sentence. */
export async function askGateway<T>(gateway: Address, question: (client: Client) => Promise<T>): Promise<T> {
  try {
    return await question(createClient(gateway));
  } catch (error) {
    throw error instanceof ClientError ? failureOf(error) : error;
  }
}

/** One request to a route for which `Client` has no function. */
export function requestGateway<T>(
  gateway: Address,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  return askGateway(gateway, (client) => client.request<T>(method, path, { body }));
}

function failureOf({ status, code, message }: ClientError): CommandFailure {
  if (status === 401) return new CommandFailure(message, 1, 'unauthenticated');
  if (status === 404) return new CommandFailure(message, 1, 'not-found');
  const isAway = code === 'network' || status === 503;
  return isAway ? new CommandFailure(message, 1, 'unreachable') : new CommandFailure(message, 1);
}
