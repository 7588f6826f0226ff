import { Problem } from './problem.ts';

/** What a request asks for. */
export interface Target {
  /** As it was sent: nothing is decoded, so that there is only one way to name a route. */
  readonly path: string;
  /** After the question mark; empty when there is none. */
  readonly query: string;
}

/**
 * Reads the target of a request. One that is a whole address names a host of its own, beside the one that was checked;
 * only proxies need to understand those.
 */
export function readTarget(url: string): Target {
  if (!url.startsWith('/')) throw new Problem('invalid', 'A request names a path, which begins with /.');
  const at = url.indexOf('?');
  return at === -1 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at + 1) };
}

/** The parameters of a query. One that is given twice would be read differently by different readers. */
export function readQuery(query: string): Record<string, string> {
  const found: Record<string, string> = {};
  if (query === '') return found;
  for (const [name, value] of new URLSearchParams(query)) {
    if (Object.hasOwn(found, name) || name === '__proto__') {
      throw new Problem(
        'invalid',
        `The query names "${name.slice(0, 50)}" more than once, or should not at all.`,
      );
    }
    found[name] = value;
  }
  return found;
}
