import { opendir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const NAMES_LOOKED_AT = 5000;
const NAMES_TOLD = 3;

/** Files of the same directory with a similar name, most similar first. */
export async function nearNames(path: string): Promise<string[]> {
  const folder = dirname(path);
  const wanted = basename(path).slice(0, 255);
  const ranked: { readonly name: string; readonly distance: number }[] = [];
  for (const name of await namesIn(folder)) {
    const distance = distanceBetween(wanted, name);
    if (distance !== undefined) ranked.push({ name, distance });
  }
  ranked.sort((a, b) => a.distance - b.distance || a.name.localeCompare(b.name));
  return ranked.slice(0, NAMES_TOLD).map(({ name }) => join(folder, name));
}

async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const { name } of await opendir(folder)) {
      names.push(name);
      if (names.length >= NAMES_LOOKED_AT) break;
    }
  } catch {
    // A directory that cannot be read has no suggestions.
  }
  return names;
}

/** Undefined for names that are not similar. */
function distanceBetween(wanted: string, name: string): number | undefined {
  const [a, b] = [wanted.toLowerCase(), name.toLowerCase()];
  if (a === b) return 0;
  if (nameWithoutExtension(a) === nameWithoutExtension(b)) return 1;
  const most = Math.max(1, Math.floor(a.length / 4));
  if (Math.abs(a.length - b.length) <= most) {
    const edits = editsBetween(a, b);
    if (edits <= most) return 1 + edits;
  }
  const contains = Math.min(a.length, b.length) >= 4 && (a.includes(b) || b.includes(a));
  return contains ? 50 : undefined;
}

function nameWithoutExtension(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}

function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
