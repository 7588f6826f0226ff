import { CommandFailure } from '../failure.ts';
import { readInstance } from './instance.ts';
import { placeOf } from './place.ts';

/** How to reach a gateway. */
export interface Address {
  readonly url: string;
  readonly token: string;
  /** It runs here, and other machines reach it under every address of this one. */
  readonly everywhere?: boolean;
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
  const text = await textOf(response, url);
  if (!response.ok) throw refusal(response.status, text);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

/** A connection that cannot be had is told by name. */
export async function reach(url: string, path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(`${url}${path}`, init);
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') throw error;
    throw unreachable(url, error);
  }
}

/** An answer that breaks off is none. */
async function textOf(response: Response, url: string): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    throw unreachable(url, error);
  }
}

function unreachable(url: string, error: unknown): CommandFailure {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
  return new CommandFailure(`The gateway at ${url} does not answer: ${cause}`, 1, 'unreachable');
}

/** What a refusal says. */
export function refusal(status: number, text: string): CommandFailure {
  const message = problemOf(text) ?? `The gateway answered ${status}.`;
  if (status === 401) return new CommandFailure(message, 1, 'unauthenticated');
  return status === 503 ? new CommandFailure(message, 1, 'unreachable') : new CommandFailure(message, 1);
}

function problemOf(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error: { message: string } };
    return error.message;
  } catch {
    return undefined;
  }
}
