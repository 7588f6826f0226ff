import type { Store } from '@plugboard/store';
import type { Principal } from './auth.ts';

/** Streams outlive the request that began them, but not the token that it came with. */
export interface Vigil {
  /** Calls `end` once the token is revoked or has expired; to be ended by the function returned. */
  keep(principal: Principal, end: () => void): () => void;
}

/** Looks every so often, for as long as there is a stream. */
export function createVigil(tokens: Store['tokens'], everyMs: number): Vigil {
  const streams = new Map<string, Set<() => void>>();
  let timer: NodeJS.Timeout | undefined;
  const look = async (): Promise<void> => {
    for (const [hash, ends] of streams) {
      // A store that cannot answer says nothing about the token.
      const gone = await tokens.find(hash).then(
        (token) => token === undefined,
        () => false,
      );
      if (gone) for (const end of [...ends]) end();
    }
  };
  return {
    keep({ hash }, end) {
      const ends = streams.get(hash) ?? new Set();
      streams.set(hash, ends.add(end));
      timer ??= setInterval(() => void look(), everyMs).unref();
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
