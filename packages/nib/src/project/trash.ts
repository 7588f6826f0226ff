import { existsSync } from 'node:fs';
import { join, parse } from 'node:path';

/** A free path in the project's trash, relative to the root; its name begins with the time `now`. */
export function findTrashPath(
  root: string,
  path: string,
  now: number,
  taken: ReadonlySet<string> = new Set(),
): string {
  const { name, ext } = parse(path);
  const stamp = new Date(now).toISOString().replace(/[-:]/g, '').slice(0, 15);
  for (let copy = 1; ; copy += 1) {
    const suffix = copy === 1 ? '' : `-${copy}`;
    const place = join('.nib', 'trash', `${stamp}-${name}${suffix}${ext}`);
    if (!taken.has(place) && !existsSync(join(root, place))) return place;
  }
}
