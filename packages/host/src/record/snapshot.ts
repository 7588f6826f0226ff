import type { JsonValue } from '@plugboard/protocol';

/**
 * The state of a machine as JSON: a table in which objects refer to each other by their place, since states share
 * records and hold maps and sets.
 */
export type Snapshot = readonly JsonValue[];

/** Fields that hold functions are left out. */
export function takeSnapshot(state: unknown): Snapshot {
  const places = new Map<object, number>();
  const table: JsonValue[] = [];
  const place = (value: object): number => {
    const known = places.get(value);
    if (known !== undefined) return known;
    const at = table.push(null) - 1;
    places.set(value, at);
    table[at] = describe(value);
    return at;
  };
  const encode = (value: unknown): JsonValue => {
    if (typeof value === 'object' && value !== null) return { ref: place(value) };
    if (value === undefined || typeof value === 'function') return { ref: null };
    return value as JsonValue;
  };
  const describe = (value: object): JsonValue => {
    if (Array.isArray(value)) return { list: value.map(encode) };
    if (value instanceof Map) return { map: [...value].map(([key, one]) => [encode(key), encode(one)]) };
    if (value instanceof Set) return { set: [...value].map(encode) };
    return { record: Object.entries(value).map(([name, one]) => [name, encode(one)]) };
  };
  place({ state });
  return table;
}

interface Described {
  readonly list?: readonly JsonValue[];
  readonly map?: readonly (readonly [JsonValue, JsonValue])[];
  readonly set?: readonly JsonValue[];
  readonly record?: readonly (readonly [string, JsonValue])[];
}

/** The state that `takeSnapshot` has described. */
export function restoreSnapshot(table: Snapshot): unknown {
  const values = table.map((entry) => emptyFor(entry as Described));
  const decode = (value: JsonValue): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const { ref } = value as { readonly ref: number | null };
    return ref === null ? undefined : values[ref];
  };
  for (const [at, entry] of (table as readonly Described[]).entries()) {
    const value = values[at];
    for (const one of entry.list ?? []) (value as unknown[]).push(decode(one));
    for (const one of entry.set ?? []) (value as Set<unknown>).add(decode(one));
    for (const [key, one] of entry.map ?? []) (value as Map<unknown, unknown>).set(decode(key), decode(one));
    for (const [name, one] of entry.record ?? []) {
      // `defineProperty` because a field may be called `__proto__`.
      const field = { value: decode(one), writable: true, enumerable: true, configurable: true };
      Object.defineProperty(value, name, field);
    }
  }
  return (values[0] as { readonly state: unknown }).state;
}

function emptyFor({ list, map, set }: Described): unknown {
  if (list !== undefined) return [];
  if (map !== undefined) return new Map();
  return set === undefined ? {} : new Set();
}
