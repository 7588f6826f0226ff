/** Timeout of one `channel.send()` call; the delivery is then `unknown`. */
export const SEND_MS = 60_000;

/** Timeout of one `channel.resolve()` call. */
export const RESOLVE_MS = 15_000;

/** Timeout of one call for a preview. */
export const PREVIEW_MS = 10_000;

/** Delay of the first preview: most answers are complete by then. */
export const FIRST_PREVIEW_MS = 250;

/** Longest time that a `typing` call may delay an answer. */
export const TYPING_MS = 1_000;

/** Longest interval between two reads of the outbox. */
export const LOOK_MS = 5_000;

/** Interval at which expired deliveries are marked. */
export const EXPIRE_MS = 30_000;

/** Longest time that `stop` waits for a channel. */
export const STOP_MS = 5_000;
