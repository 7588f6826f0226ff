/** Bytes of a file, both ends included. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * What part of a file is asked for: `all` when none is, or when it is asked for in a way that need not be understood;
 * `none` when there is no such part.
 */
export function readRange(header: string | undefined, size: number): Range | 'all' | 'none' {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return 'all';
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (from !== '' && to !== '' && Number(to) < start) return 'all';
  return start >= size || end < start ? 'none' : { start, end };
}
