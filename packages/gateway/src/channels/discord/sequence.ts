/** Tracks the kept events of a gateway session. On a resume, Discord repeats the events above `kept`. */
export interface Sequence {
  /** The highest number up to which every event is kept. */
  readonly kept: number;
  /** Begins an event; the returned function says that it is kept. Undefined for a number up to the highest so far: a repetition. */
  begin(number: number): (() => void) | undefined;
}

export function createSequence(kept: number, onKept: () => void = () => {}): Sequence {
  let highest = kept;
  // A `Set` iterates in insertion order, and numbers begin in rising order: the first is the lowest.
  const open = new Set<number>();
  return {
    get kept() {
      const [lowest] = open;
      return lowest === undefined ? highest : lowest - 1;
    },
    begin(number) {
      if (number <= highest) return undefined;
      highest = number;
      open.add(number);
      return () => {
        open.delete(number);
        onKept();
      };
    },
  };
}
