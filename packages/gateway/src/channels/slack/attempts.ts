/** The last call of `send` for a delivery. */
export interface Attempt {
  /** File ids given to `files.completeUploadExternal`; absent before that call, when no file was visible. */
  files?: readonly string[];
  /** `Clock.now()` at the failure. */
  failedAt?: number;
}

const MOST = 1_000;

/** Attempts by the id of their delivery; the oldest is forgotten first. */
export interface Attempts {
  begin(id: string): Attempt;
  find(id: string): Attempt | undefined;
}

export function createAttempts(): Attempts {
  const attempts = new Map<string, Attempt>();
  return {
    begin(id) {
      const attempt: Attempt = {};
      attempts.delete(id);
      attempts.set(id, attempt);
      for (const [oldest] of attempts) if (attempts.size > MOST) attempts.delete(oldest);
      return attempt;
    },
    find: (id) => attempts.get(id),
  };
}
