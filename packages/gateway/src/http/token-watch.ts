import type { Store } from '@plugboard/store';
import type { Principal } from './auth.ts';

/** Ends streams whose token was revoked or has expired. */
export interface TokenWatch {
  /** Calls `end` once the token is invalid. The returned function unsubscribes. */
  watch(principal: Principal, end: () => void): () => void;
}

/** Checks tokens every `everyMs` while a stream is open. */
export function createTokenWatch(tokens: Store['tokens'], everyMs: number): TokenWatch {
  const streams = new Map<string, Set<() => void>>();
  let timer: NodeJS.Timeout | undefined;
  const checkTokens = async (): Promise<void> => {
    for (const [hash, ends] of streams) {
      // An error of the store does not make the token invalid.
      const gone = await tokens.find(hash).then(
        (token) => token === undefined,
        () => false,
      );
      if (gone) for (const end of [...ends]) end();
    }
  };
  return {
    watch({ hash }, end) {
      const ends = streams.get(hash) ?? new Set();
      streams.set(hash, ends.add(end));
      timer ??= setInterval(() => void checkTokens(), everyMs).unref();
      return () => {
        ends.delete(end);
        if (ends.size === 0 && streams.get(hash) === ends) streams.delete(hash);
        if (streams.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}
