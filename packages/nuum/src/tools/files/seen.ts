import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';

/** More files than an agent looks at between two edits of the same one. */
const MOST_FILES = 10_000;

interface Look {
  readonly mark: string;
  /** Of all its bytes, when all were seen. */
  readonly hash: string | undefined;
}

/** Remembers how files were when the model last saw or wrote them, so that an edit cannot undo what others did since. */
export interface Seen {
  remember(real: string, stats: Stats, hash: string | undefined): void;
  /** Whether the file is another than the one that was seen; false for one that never was. */
  hasChanged(real: string, stats: Stats, bytes: Uint8Array): boolean;
  knows(real: string): boolean;
}

/** Kept for the life of an agent. */
export function createSeen(): Seen {
  const looks = new Map<string, Look>();
  return {
    remember(real, stats, hash) {
      looks.delete(real);
      looks.set(real, { mark: markOf(stats), hash });
      const [oldest] = looks.keys();
      if (looks.size > MOST_FILES && oldest !== undefined) looks.delete(oldest);
    },
    hasChanged(real, stats, bytes) {
      const look = looks.get(real);
      if (look === undefined) return false;
      // Where all bytes were seen they decide: a clock that stands still or a `touch` do not.
      return look.hash === undefined ? look.mark !== markOf(stats) : look.hash !== hashOf(bytes);
    },
    knows: (real) => looks.has(real),
  };
}

/** The hash that `remember` takes. */
export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function markOf({ dev, ino, size, mtimeMs }: Stats): string {
  return `${dev}:${ino}:${size}:${mtimeMs}`;
}
