/** The seed of the points that `npm test` tries; set PLUGBOARD_SEED to try the same ones again. */
export const SEED: number = Number(process.env.PLUGBOARD_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** About one of `share` items, drawn by the seed; the deep tests try all of them. */
export function sample<T>(items: readonly T[], share: number): T[] {
  let state = SEED;
  const random = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return items.filter(() => random() * share < 1);
}
