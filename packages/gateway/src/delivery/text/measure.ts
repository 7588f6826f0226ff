/** Length of a text as a platform counts it. Must be monotonic: more text never counts less. */
export type Measure = (text: string) => number;

/** UTF-16 units, as most platforms count. */
export const units: Measure = (text) => text.length;
