import { CommandFailure } from '../failure.ts';
import { readInstance } from './instance.ts';
import { placeOf } from './place.ts';

/** How to reach a gateway. */
export interface Address {
  readonly url: string;
  readonly token: string;
}

export interface AddressOptions {
  /** An address; without it, the gateway of this machine. */
  readonly gateway?: string | boolean;
  readonly data?: string;
}

/** The gateway that is meant: one that was named, or the one that runs here. */
export function findGateway({ gateway, data }: AddressOptions): Address {
  const instance = readInstance(placeOf(data).instanceFile);
  const token = process.env.PLUGBOARD_TOKEN ?? '';
  if (typeof gateway === 'string') {
    const own = instance?.url === gateway ? instance.token : '';
    if (token === '' && own === '') {
      throw new CommandFailure(
        `Put a token for ${gateway} into PLUGBOARD_TOKEN; plugboard token create makes one there.`,
      );
    }
    return { url: gateway.replace(/\/+$/, ''), token: token === '' ? own : token };
  }
  if (instance === undefined) {
    throw new CommandFailure(
      'No gateway is running here. Start one with plugboard up, or name one with --gateway URL.',
    );
  }
  return { url: instance.url, token: token === '' ? instance.token : token };
}

/** One request to a gateway; throws with the sentence that it answers when it refuses. */
export async function request<T>(
  { url, token }: Address,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const response = await reach(url, path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new CommandFailure(problemOf(text, response.status), 1);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

/** A connection that cannot be had is told by name. */
export async function reach(url: string, path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(`${url}${path}`, init);
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') throw error;
    const cause =
      error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new CommandFailure(`The gateway at ${url} does not answer: ${cause}`, 1);
  }
}

function problemOf(text: string, status: number): string {
  try {
    const { error } = JSON.parse(text) as { error: { message: string } };
    return error.message;
  } catch {
    return `The gateway answered ${status}.`;
  }
}
