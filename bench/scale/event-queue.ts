/** Simulated time, in milliseconds, and what happens next in it. */
export interface Simulation {
  readonly now: number;
  after(ms: number, run: () => void): void;
  /** Runs until nothing is left or `untilMs` is reached. */
  run(untilMs: number): void;
}

interface Happening {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** A binary heap by time; what is due at the same time runs in the order in which it was added. */
export function createSimulation(): Simulation {
  const heap: Happening[] = [];
  let now = 0;
  let added = 0;
  const isBefore = (one: Happening, other: Happening): boolean =>
    one.at < other.at || (one.at === other.at && one.order < other.order);
  const at = (index: number): Happening => heap[index] as Happening;
  const swap = (one: number, other: number): void => {
    [heap[one], heap[other]] = [at(other), at(one)];
  };
  const push = (happening: Happening): void => {
    heap.push(happening);
    for (let index = heap.length - 1; index > 0; ) {
      const parent = (index - 1) >> 1;
      if (!isBefore(at(index), at(parent))) break;
      swap(index, parent);
      index = parent;
    }
  };
  const pop = (): Happening => {
    const first = at(0);
    const last = heap.pop() as Happening;
    if (heap.length === 0) return first;
    heap[0] = last;
    for (let index = 0; ; ) {
      const left = 2 * index + 1;
      if (left >= heap.length) break;
      const smaller = left + 1 < heap.length && isBefore(at(left + 1), at(left)) ? left + 1 : left;
      if (!isBefore(at(smaller), at(index))) break;
      swap(index, smaller);
      index = smaller;
    }
    return first;
  };
  return {
    get now() {
      return now;
    },
    after(ms, run) {
      added += 1;
      push({ at: now + ms, order: added, run });
    },
    run(untilMs) {
      while (heap.length > 0 && at(0).at <= untilMs) {
        const next = pop();
        now = next.at;
        next.run();
      }
      now = untilMs;
    },
  };
}
