import type { FoundFile } from './request.ts';

/** The number of files beyond `limit` after which older ones are dropped. */
const SLACK = 2000;

/** The newest of all added files. */
export interface Newest {
  add(file: FoundFile): void;
  /** Newest first, with at most `limit` results. */
  list(): readonly FoundFile[];
}

/** Keeps the newest files that have `limit` results together. A file without hits counts as one result. */
export function createNewest(limit: number): Newest {
  let files: FoundFile[] = [];
  const prune = (): void => {
    files.sort((a, b) => b.modified - a.modified || (a.path < b.path ? -1 : 1));
    let results = 0;
    const enough = files.findIndex((file) => {
      results += resultsIn(file);
      return results >= limit;
    });
    if (enough >= 0) files = files.slice(0, enough + 1);
  };
  return {
    add(file) {
      files.push(file);
      if (files.length >= limit + SLACK) prune();
    },
    list() {
      prune();
      let room = limit;
      return files.map((file) => {
        const hits = file.hits.slice(0, room);
        room -= resultsIn(file);
        return { ...file, hits };
      });
    },
  };
}

function resultsIn({ hits }: FoundFile): number {
  return Math.max(1, hits.length);
}
