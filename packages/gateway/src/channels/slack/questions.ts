/** Most questions that are remembered; the oldest is forgotten first. */
const MOST = 1_000;

/**
 * Places of open questions outside of threads: a reply in the thread below a question belongs to the place of the question.
 * In memory, because a restart also ends the agents that asked.
 */
export interface QuestionPlaces {
  add(channel: string, ts: string, place: string): void;
  remove(channel: string, ts: string): void;
  find(channel: string, ts: string): string | undefined;
}

export function createQuestionPlaces(): QuestionPlaces {
  const places = new Map<string, string>();
  const keyOf = (channel: string, ts: string): string => `${channel}:${ts}`;
  return {
    add(channel, ts, place) {
      places.set(keyOf(channel, ts), place);
      for (const [oldest] of places) if (places.size > MOST) places.delete(oldest);
    },
    remove: (channel, ts) => void places.delete(keyOf(channel, ts)),
    find: (channel, ts) => places.get(keyOf(channel, ts)),
  };
}
