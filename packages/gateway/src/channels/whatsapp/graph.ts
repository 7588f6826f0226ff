import { openAsBlob } from 'node:fs';
import { SendError } from '../channel.ts';
import { isBeforeConnection } from '../network-error.ts';
import { type GraphError, readGraphError, sendErrorOf } from './problem.ts';
import type { WhatsappSettings } from './settings.ts';

/** Calls of the Graph API. Each is one request on a connection of its own, and rejects with a `SendError`. */
export interface Graph {
  get(path: string, signal?: AbortSignal): Promise<Record<string, unknown>>;
  post(path: string, body: object, signal?: AbortSignal): Promise<Record<string, unknown>>;
  /** Uploads a file; returns its id. Nobody sees it, so that an upload may be repeated. */
  upload(path: string, name: string, type: string, signal?: AbortSignal): Promise<string>;
  /** Bytes of a file that a person has sent. The address comes from the API and needs the token. */
  download(url: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

/** A refusal with the error that the API gave. */
export class GraphRefusal extends SendError {
  readonly error: GraphError | undefined;

  constructor(status: number, error: GraphError | undefined, retryAfterMs?: number) {
    const { problem, message, afterMs, scope, stopsChannel } = sendErrorOf(status, error, retryAfterMs);
    super(problem, message, { ...(afterMs === undefined ? {} : { afterMs }), scope, stopsChannel });
    this.error = error;
  }
}

const CALL_MS = 30_000;
const MOST_BODY = 256 * 1024;

type GraphSettings = Pick<WhatsappSettings, 'api' | 'phone_number_id' | 'token'>;

export function createGraph({ api, phone_number_id: phone, token }: GraphSettings): Graph {
  const base = api.replace(/\/+$/, '');
  const call = async (path: string, init: RequestInit, signal?: AbortSignal): Promise<Response> => {
    const url = path.startsWith('http') ? path : `${base}/${path}`;
    const limit = AbortSignal.timeout(CALL_MS);
    try {
      return await fetch(url, {
        ...init,
        redirect: 'error',
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
        // On a kept connection that the platform closes, the error does not tell whether a message was taken.
        headers: { ...init.headers, authorization: `Bearer ${token.reveal()}`, connection: 'close' },
      });
    } catch (error) {
      throw networkError(error);
    }
  };
  const ask = async (path: string, init: RequestInit, signal?: AbortSignal) =>
    readAnswer(await call(path, init, signal));
  return {
    get: (path, signal) => ask(path, {}, signal),
    post: (path, body, signal) =>
      ask(
        path,
        {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        },
        signal,
      ),
    async upload(path, name, type, signal) {
      const form = new FormData();
      form.set('messaging_product', 'whatsapp');
      form.set('type', type);
      form.set('file', new File([await openAsBlob(path, { type })], name, { type }));
      const { id } = await ask(`${phone}/media`, { method: 'POST', body: form }, signal);
      if (typeof id !== 'string') throw new SendError('later', 'WhatsApp gave an uploaded file no id.');
      return id;
    },
    async download(url, signal) {
      if (!isMediaHost(url, base))
        throw new SendError('never', 'WhatsApp named an address for a file that is not its own.');
      const response = await call(url, {}, signal);
      if (response.ok && response.body !== null) return response.body;
      await response.body?.cancel();
      throw new GraphRefusal(response.status, undefined);
    },
  };
}

/** The token is sent to hosts of Meta and to the API's own alone. */
function isMediaHost(url: string, base: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, host } = new URL(url);
  if (host === new URL(base).host) return true;
  return protocol === 'https:' && /(^|\.)(facebook\.com|fbsbx\.com|fbcdn\.net|whatsapp\.net)$/.test(host);
}

/** Errors of `fetch` name no header; their cause is left out all the same, since it may name the address. */
function networkError(error: unknown): SendError {
  const { name, cause } = error as { name?: string; cause?: { code?: string } };
  const why = name === 'TimeoutError' ? 'no answer in time' : (cause?.code ?? name ?? 'no connection');
  return new SendError(
    isBeforeConnection(error) ? 'later' : 'unknown',
    `WhatsApp could not be asked: ${why}.`,
  );
}

async function readAnswer(response: Response): Promise<Record<string, unknown>> {
  const body = await readText(response);
  if (!response.ok)
    throw new GraphRefusal(response.status, readGraphError(body), retryAfterOf(response.headers));
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Told below.
  }
  throw new SendError('unknown', 'WhatsApp gave an answer that is not JSON.');
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > MOST_BODY) break;
    }
  } catch (error) {
    throw networkError(error);
  }
  return text;
}

function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get('retry-after') ?? '';
  return /^\d{1,9}$/.test(value) ? Number(value) * 1000 : undefined;
}
