import { ClientError, createNetworkError, createRefusal } from './error.ts';

export interface ClientOptions {
  /** Where the gateway is: `http://127.0.0.1:7420`. Empty for a page that the gateway itself has served. */
  readonly url: string;
  /** A token of `plugboard token create`. A page that has logged in sends its cookie instead. */
  readonly token?: string;
  /** Used in place of the global `fetch`: for proxies, other credentials, tests. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

export interface RequestOptions {
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** Sent as JSON. `POST` and `PATCH` send `{}` without it. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** One request; throws a `ClientError` without an answer, and for a status of 400 and above. */
export async function sendRequest(
  client: ClientOptions,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const headers = new Headers(init.headers);
  if (client.token !== undefined) headers.set('authorization', `Bearer ${client.token}`);
  const response = await awaitAnswer(client, init.signal, () =>
    (client.fetch ?? fetch)(`${client.url.replace(/\/+$/, '')}${path}`, { ...init, headers }),
  );
  if (!response.ok) throw createRefusal(response.status, await response.json().catch(() => undefined));
  return response;
}

/** One request for JSON; `T` is `void` where the gateway answers 204. */
export async function requestJson<T>(
  client: ClientOptions,
  method: string,
  path: string,
  { query = {}, body, signal }: RequestOptions = {},
): Promise<T> {
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  const hasBody = method === 'POST' || method === 'PATCH';
  const init: RequestInit = {
    method,
    ...(hasBody ? { body: JSON.stringify(body ?? {}), headers: { 'content-type': 'application/json' } } : {}),
    ...(signal === undefined ? {} : { signal }),
  };
  const response = await sendRequest(client, `${path}${search}`, init);
  return readJson<T>(client, response, signal);
}

/** The JSON of an answer; undefined for an empty one. */
export async function readJson<T>(
  client: ClientOptions,
  response: Response,
  signal?: AbortSignal,
): Promise<T> {
  const text = await awaitAnswer(client, signal, () => response.text());
  return (text === '' ? undefined : parseJson(text)) as T;
}

/** Throws a `ClientError` for an answer that breaks off. An abort by `signal` is thrown unchanged. */
async function awaitAnswer<T>(
  { url }: ClientOptions,
  signal: AbortSignal | null | undefined,
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (signal?.aborted || error instanceof ClientError) throw error;
    const cause =
      error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw url === ''
      ? createNetworkError(undefined, error)
      : createNetworkError(`The gateway at ${url} does not answer: ${cause}`, error);
  }
}

/** Throws a `ClientError` for data that is no JSON: the address is not that of a gateway. */
export function parseJson<T>(data: string): T {
  try {
    return JSON.parse(data) as T;
  } catch (cause) {
    throw new ClientError('unexpected', 'The answer is no JSON, as that of a gateway would be.', { cause });
  }
}
