/**
 * The seed of everything that tests draw: fault points, pairs, moments of a kill, cases of property tests. CI always draws the
 * same, so that a change is judged by what it changed; elsewhere each run draws anew. PLUGBOARD_SEED repeats a run.
 */
export const SEED: number = Number(
  process.env.PLUGBOARD_SEED ?? (process.env.CI === 'true' ? 1 : Math.floor(Math.random() * 2 ** 31)),
);

/** About one of `share` items, and at least one, drawn by the seed; the deep tests try all of them. */
export function sample<T>(items: readonly T[], share: number, seed = SEED): T[] {
  const random = createRandom(seed);
  const drawn = items.filter(() => random() * share < 1);
  if (drawn.length > 0) return drawn;
  const at = Math.floor(random() * items.length);
  return items.slice(at, at + 1);
}

/** Numbers from 0 to 1 that are the same for the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
