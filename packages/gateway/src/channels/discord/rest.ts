import { API, type APIGatewayBotInfo, Routes } from '@discordjs/core';
import { REST, type RESTOptions, type ResponseLike } from '@discordjs/rest';
import type { Clock } from '../../clock.ts';
import { SendError } from '../channel.ts';
import { errorOf } from './discord-error.ts';
import { closeConnections, createConnections, type Exchanged, exchange } from './exchange.ts';
import { isGatewayUrl } from './frames.ts';
import { createRateLimits } from './rate-limit.ts';
import type { DiscordSettings } from './settings.ts';

/** The REST API of Discord. Every call is one attempt and rejects with a `SendError`. */
export interface DiscordRest {
  readonly api: API;
  /** `GET /gateway/bot`, which `API` lacks. */
  readGateway(): Promise<APIGatewayBotInfo>;
  /** Aborts calls, closes kept connections, and lets every later call fail. */
  close(): void;
}

interface RestOptions {
  readonly settings: DiscordSettings;
  readonly clock: Clock;
  /** Called with the time of Discord, from the `Date` header of an answer. */
  readonly onDate?: (date: number) => void;
}

/** Shorter than the timeout of `Channel.send`. */
const TIMEOUT_MS = 55_000;

/** `makeRequest` throws for every answer that is not 2xx: errors of the library keep headers and URLs. */
export function createRest({ settings, clock, onDate }: RestOptions): DiscordRest {
  const connections = createConnections();
  const limits = createRateLimits(clock);
  const end = new AbortController();
  const base = new URL(settings.api).pathname.replace(/\/$/, '').length;
  const makeRequest: RESTOptions['makeRequest'] = async (url, init) => {
    const path = new URL(url).pathname.slice(base);
    const method = String(init.method ?? 'GET');
    limits.check(method, path);
    const { headers, body } = await encodeBody(init.headers, init.body);
    const signal = AbortSignal.any([end.signal, ...(init.signal == null ? [] : [init.signal])]);
    // ECONNRESET on a kept connection may come before or after the request: only requests that can be repeated use them.
    const agent = method === 'POST' ? undefined : connections;
    const answer = await exchange(url, { method, headers, body, signal, agent });
    limits.note(method, path, answer.headers);
    const date = Date.parse(answer.headers.get('date') ?? '');
    if (Number.isFinite(date)) onDate?.(date);
    return readAnswer(answer);
  };
  const rest = new REST({
    api: settings.api.replace(/\/$/, ''),
    retries: 0,
    rejectOnRateLimit: () => true,
    globalRequestsPerSecond: Number.POSITIVE_INFINITY,
    ...{ timeout: TIMEOUT_MS, offset: 0, hashSweepInterval: 0, handlerSweepInterval: 0, makeRequest },
  }).setToken(settings.token.reveal());
  return {
    api: new API(rest),
    readGateway: async () => requireGateway(await rest.get(Routes.gatewayBot())),
    close() {
      end.abort();
      closeConnections(connections);
    },
  };
}

/** The library would reject without a `catch` on an address that is none. */
function requireGateway(given: unknown): APIGatewayBotInfo {
  const { url, session_start_limit: limit } = (given ?? {}) as Partial<APIGatewayBotInfo>;
  const numbers: readonly unknown[] = [limit?.remaining, limit?.reset_after];
  if (!isGatewayUrl(url) || numbers.some((one) => !Number.isFinite(one)))
    throw new SendError('later', 'Discord did not say where its gateway is.');
  return given as APIGatewayBotInfo;
}

type GivenInit = Parameters<RESTOptions['makeRequest']>[1];

/** Encodes a `FormData` with its files to multipart bytes. */
async function encodeBody(
  given: GivenInit['headers'],
  body: GivenInit['body'],
): Promise<{ headers: Record<string, string>; body: Uint8Array | undefined }> {
  const headers = { ...(given as Record<string, string>) };
  if (body == null) return { headers: { ...headers, 'Content-Length': '0' }, body: undefined };
  const encoded = new Response(body as ConstructorParameters<typeof Response>[0]);
  const bytes = new Uint8Array(await encoded.arrayBuffer());
  const type = encoded.headers.get('content-type');
  const isForm = type?.startsWith('multipart/') === true;
  return {
    headers: {
      ...headers,
      ...(isForm ? { 'Content-Type': type } : {}),
      'Content-Length': String(bytes.length),
    },
    body: bytes,
  };
}

/** The answer for the library, without `X-RateLimit` headers: it would leave timers of its own. */
function readAnswer({ status, headers, body }: Exchanged): ResponseLike {
  const json = parseJson(body);
  if (status < 200 || status >= 300) throw errorOf(status, headers, json);
  if (body.length > 0 && json === undefined)
    throw new SendError('unknown', `Discord answered ${status} with something that is not JSON.`);
  const isEmpty = status === 204 || body.length === 0;
  const answer = new Response(isEmpty ? null : new Uint8Array(body), {
    status,
    headers: isEmpty ? {} : { 'content-type': 'application/json' },
  });
  return answer as unknown as ResponseLike;
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) ?? undefined;
  } catch {
    return undefined;
  }
}
