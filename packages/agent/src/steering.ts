import type { Turn } from '@plugboard/protocol';

/** Messages that came while a turn was running. */
export interface Steering {
  /** Takes all that wait, joined by blank lines, or undefined when none does. The host is told. */
  take(): Promise<Turn | undefined>;
  /** The same without a word to the host: whoever it is given to says `steered` when it has been taken in. */
  handOver(): Turn | undefined;
  /** How many wait. */
  readonly waiting: number;
  /** Calls `listener` whenever a message comes, until the returned function is called. */
  onMessage(listener: () => void): () => void;
}

/** For hosts that have no way to say anything during a turn. */
export const NO_STEERING: Steering = {
  take: () => Promise.resolve(undefined),
  handOver: () => undefined,
  waiting: 0,
  onMessage: () => () => {},
};

/** Several turns as one: their texts joined by a blank line, their attachments together, the last word on each extension. */
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
