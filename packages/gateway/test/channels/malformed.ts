/** What a malformed message of a platform can hold in any place. */
const WRONG: readonly unknown[] = [null, 5, 1e300, '', 'x', true, [], {}, [null]];

/** Copies of `sample`, each with one value in it, at any depth, removed or replaced by one of another type. */
export function* malformed(sample: unknown): Generator<unknown> {
  for (const wrong of WRONG) yield wrong;
  if (typeof sample !== 'object' || sample === null) return;
  for (const key of Object.keys(sample)) {
    const copy = (value: unknown): unknown => {
      if (Array.isArray(sample)) return sample.map((one, index) => (String(index) === key ? value : one));
      return { ...sample, [key]: value };
    };
    yield copy(undefined);
    for (const value of malformed(Reflect.get(sample, key))) yield copy(value);
  }
}
