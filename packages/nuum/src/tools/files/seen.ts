import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';

const MOST_FILES = 10_000;

interface Look {
  readonly mark: string;
  /** The hash of the whole file, when all of it was read. */
  readonly hash: string | undefined;
}

/** The state of files when the model last read or wrote them, so that an edit cannot undo the changes of others. */
export interface Seen {
  remember(real: string, stats: Stats, hash: string | undefined): void;
  /** Whether a file differs from its remembered state. False for unknown files. */
  hasChanged(real: string, stats: Stats, bytes: Uint8Array): boolean;
  knows(real: string): boolean;
}

/** One per agent. */
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
      // A hash is decisive; times may stay the same, or change by `touch`.
      return look.hash === undefined ? look.mark !== markOf(stats) : look.hash !== hashOf(bytes);
    },
    knows: (real) => looks.has(real),
  };
}

/** The hash for `remember`. */
export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function markOf({ dev, ino, size, mtimeMs }: Stats): string {
  return `${dev}:${ino}:${size}:${mtimeMs}`;
}
