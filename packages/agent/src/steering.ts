import type { Turn } from '@plugboard/protocol';

/** Messages that arrived during a turn. */
export interface Steering {
  /** Takes all waiting messages as one turn (see `joinTurns`) and emits `steered`; `undefined` if none waits. */
  take(): Promise<Turn | undefined>;
  /** Number of waiting messages. */
  readonly waiting: number;
  /** Calls `listener` for each new message. Returns a function that removes it. */
  onMessage(listener: () => void): () => void;
}

/** For dialects in which a host cannot send messages during a turn. */
export const NO_STEERING: Steering = {
  take: () => Promise.resolve(undefined),
  waiting: 0,
  onMessage: () => () => {},
};

/** Joins texts with a blank line and concatenates attachments. If two turns set the same extension, the last one wins. */
export function joinTurns(turns: readonly Turn[]): Turn | undefined {
  const [first, ...rest] = turns;
  if (first === undefined || rest.length === 0) return first;
  return {
    ...first,
    text: turns.map(({ text }) => text).join('\n\n'),
    attachments: turns.flatMap(({ attachments }) => attachments),
    ...(turns.some(({ extensions }) => extensions !== undefined)
      ? { extensions: Object.assign({}, ...turns.map(({ extensions }) => extensions)) }
      : {}),
  };
}
