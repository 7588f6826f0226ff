/** Consecutive items of a long list that are mounted and unmounted together. */
export interface Section<T> {
  readonly key: string;
  readonly items: readonly T[];
}

/** One item in 16 begins a section; `MOST_ITEMS` bounds a section whose keys happen to hash badly. */
const STARTS = 16;
const MOST_ITEMS = 32;

/**
 * Cuts a list into sections at items chosen by the hash of their key. A cut by position would move with every item that
 * is prepended; a cut by key stays, so mounted sections stay mounted.
 */
export function cutSections<T>(items: readonly T[], keyOf: (item: T) => string): Section<T>[] {
  const sections: { key: string; items: T[] }[] = [];
  const used = new Set<string>();
  for (const item of items) {
    const key = keyOf(item);
    const last = sections.at(-1);
    if (last !== undefined && last.items.length < MOST_ITEMS && hashOf(key) % STARTS !== 0) {
      last.items.push(item);
      continue;
    }
    const unique = used.has(key) ? `${key}#${sections.length}` : key;
    used.add(unique);
    sections.push({ key: unique, items: [item] });
  }
  return sections;
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  // The low bits of FNV follow the last character alone.
  return (hash ^ (hash >>> 15)) >>> 0;
}
