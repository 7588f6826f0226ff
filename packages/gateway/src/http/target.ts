import { Problem } from './problem.ts';

/** Path and query of a request. */
export interface Target {
  /** The path without decoding, so that a route has only one spelling. */
  readonly path: string;
  /** The query without `?`; empty when there is none. */
  readonly query: string;
}

/**
 * Splits a request target. An absolute URL is refused: it names a host beside the checked `Host`, and only proxies must
 * accept it.
 */
export function readTarget(url: string): Target {
  if (!url.startsWith('/')) throw new Problem('invalid', 'A request names a path, which begins with /.');
  const at = url.indexOf('?');
  return at === -1 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at + 1) };
}

/** Parses a query. A repeated name is refused, because parsers disagree on which value counts. */
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
