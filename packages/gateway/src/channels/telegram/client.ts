import { Api, type RawApi } from 'grammy/web';
import type { Clock } from '../../clock.ts';
import { fetchOnce } from './http-fetch.ts';
import type { TelegramSettings } from './settings.ts';
import { TelegramError, telegramErrorOf } from './telegram-error.ts';

/** Timeout of a call, unless `CallOptions.ms` says otherwise. */
const CALL_MS = 30_000;

/**
 * `grammy/web` is grammY without node-fetch: `fetchOnce` makes the requests. grammY ends no call by itself: `call` does.
 */
const NO_TIMEOUT_SECS = 24 * 60 * 60;

type Raw = Api['raw'];
type RawSignal = NonNullable<Parameters<RawApi['getMe']>[0]>;

interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly ms?: number;
}

/** Calls the Bot API, each time once. */
export interface Client {
  /** Rejects with a `TelegramError`. */
  call<T>(run: (raw: Raw, signal: RawSignal) => Promise<T>, options?: CallOptions): Promise<T>;
  /** Address of a file that `getFile` has named. It contains the token. */
  fileUrl(path: string): URL;
  /** Ends all calls. */
  close(): void;
}

export function createClient(
  { token, api: root }: Pick<TelegramSettings, 'token' | 'api'>,
  clock: Clock,
): Client {
  const secret = token.reveal();
  const apiRoot = root.replace(/\/+$/, '');
  const api = new Api(secret, {
    apiRoot,
    timeoutSeconds: NO_TIMEOUT_SECS,
    fetch: fetchOnce as never,
  });
  const scrub = (text: string): string => text.replaceAll(secret, '[secret]');
  const calls = new Set<AbortController>();
  return {
    async call(run, { signal, ms = CALL_MS } = {}) {
      const call = new AbortController();
      const abort = (): void => call.abort();
      const cancel = clock.after(ms, abort);
      if (signal?.aborted === true) abort();
      signal?.addEventListener('abort', abort);
      calls.add(call);
      try {
        return requireResult(await run(api.raw, call.signal as unknown as RawSignal));
      } catch (error) {
        throw telegramErrorOf(error, scrub);
      } finally {
        cancel();
        signal?.removeEventListener('abort', abort);
        calls.delete(call);
      }
    },
    fileUrl: (path) =>
      new URL(`${apiRoot}/file/bot${secret}/${path.split('/').map(encodeURIComponent).join('/')}`),
    close() {
      for (const call of calls) call.abort();
    },
  };
}

/** Every method of the Bot API has a `result`; grammY returns undefined where an answer lacks it. */
function requireResult<T>(result: T): T {
  if (result == null) throw new TelegramError('unknown', 'The Bot API answered without a result.');
  return result;
}
