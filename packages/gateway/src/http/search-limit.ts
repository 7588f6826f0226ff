import { Problem } from './problem.ts';

/**
 * Most searches of one token that run or wait. The store runs them one after the other, so that more would delay other
 * tokens.
 */
const MOST = 2;

/** Limits the searches of each token. */
export interface SearchLimit {
  /** Runs a search; rejects with a `Problem` when the token has `MOST` in progress. */
  run<T>(tokenId: string, search: () => Promise<T>): Promise<T>;
}

export function createSearchLimit(): SearchLimit {
  const underWay = new Map<string, number>();
  return {
    async run(tokenId, search) {
      const count = underWay.get(tokenId) ?? 0;
      if (count >= MOST)
        throw new Problem('too-many', `${count} of your searches are under way. Wait for one of them.`, 1);
      underWay.set(tokenId, count + 1);
      try {
        return await search();
      } finally {
        const left = (underWay.get(tokenId) ?? 1) - 1;
        if (left === 0) underWay.delete(tokenId);
        else underWay.set(tokenId, left);
      }
    },
  };
}
