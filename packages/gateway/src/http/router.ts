import { RegExpRouter } from 'hono/router/reg-exp-router';
import { SmartRouter } from 'hono/router/smart-router';
import { TrieRouter } from 'hono/router/trie-router';
import { Problem } from './problem.ts';
import type { Route } from './route.ts';

/** Result of `find`. */
interface Found {
  /** Undefined when the path exists without this method (405). */
  readonly route: Route | undefined;
  /** Decoded path parameters. Throws a `Problem` for invalid percent-encoding. */
  params(): Readonly<Record<string, string>>;
  /** Value of the `Allow` header. */
  readonly allow: string;
}

export interface Router {
  /** Undefined for an unknown path (404). */
  find(method: string, path: string): Found | undefined;
}

/** The routes of one path, by method. */
interface Place {
  readonly methods: ReadonlyMap<string, Route>;
  readonly allow: string;
}

/** Paths are added for every method, so that `find` can distinguish 405 from 404. */
const ANY = 'ALL';

/**
 * Matches the path as it was sent: dot segments and doubled or encoded slashes are not normalized, so they match no
 * route. Uses the routers of hono without its `Request` and `Response`, which would be built for every call.
 */
export function createRouter(routes: readonly Route[]): Router {
  const router = new SmartRouter<Place>({ routers: [new RegExpRouter<Place>(), new TrieRouter<Place>()] });
  for (const [path, own] of Map.groupBy(routes, (route) => route.path)) router.add(ANY, path, placeOf(own));
  return {
    find(method, path) {
      const [matches, stash] = router.match(ANY, path);
      // hono returns all matches in the order of `add`: a match without parameters is preferred.
      const match = matches.find(([, params]) => Object.keys(params).length === 0) ?? matches[0];
      if (match === undefined) return undefined;
      const [{ methods, allow }, params] = match;
      return {
        route: methods.get(method === 'HEAD' ? 'GET' : method),
        params: () => decodeParams(params, stash),
        allow,
      };
    },
  };
}

function placeOf(routes: readonly Route[]): Place {
  const methods = new Map(routes.map((route) => [route.method.toUpperCase(), route]));
  // `HEAD` is allowed wherever `GET` is.
  const allow = [...methods.keys()].flatMap((one) => (one === 'GET' ? [one, 'HEAD'] : [one])).join(', ');
  return { methods, allow };
}

/** `params` holds strings, or indexes into `stash`: that depends on which hono router matched. */
function decodeParams(
  params: Readonly<Record<string, string | number>>,
  stash: readonly string[] | undefined,
): Record<string, string> {
  const entries = Object.entries(params).map(([name, value]) => {
    const text = typeof value === 'number' ? (stash?.[value] ?? '') : value;
    return [name, decodeSegment(text)] as const;
  });
  return Object.fromEntries(entries);
}

function decodeSegment(segment: string): string {
  try {
    return segment.includes('%') ? decodeURIComponent(segment) : segment;
  } catch {
    throw new Problem('invalid', 'The path is not valid: it has a % that stands for no character.');
  }
}
