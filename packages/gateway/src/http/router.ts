import { RegExpRouter } from 'hono/router/reg-exp-router';
import { SmartRouter } from 'hono/router/smart-router';
import { TrieRouter } from 'hono/router/trie-router';
import { Problem } from './problem.ts';
import type { Route } from './route.ts';

/** What was found at a path. */
interface Found {
  /** Undefined when the path is known, but not with this method. */
  readonly route: Route | undefined;
  /** What the path says of them. Throws a Problem when that cannot be decoded. */
  params(): Readonly<Record<string, string>>;
  /** The methods that it is known with. */
  readonly allow: string;
}

export interface Router {
  /** Undefined when there is nothing at this path. */
  find(method: string, path: string): Found | undefined;
}

/** The routes of one path. */
interface Place {
  readonly methods: ReadonlyMap<string, Route>;
  readonly allow: string;
}

/** Paths are added for every method at once: that a path is known, but not with this method, is an answer of its own. */
const ANY = 'ALL';

/**
 * Finds routes by their path, taken as it was sent: dot segments, doubled and encoded slashes and the like are not
 * understood, and so lead nowhere. The matching is hono's; its requests and responses, which would be made anew of Node's for
 * every call, are left out.
 */
export function createRouter(routes: readonly Route[]): Router {
  const router = new SmartRouter<Place>({ routers: [new RegExpRouter<Place>(), new TrieRouter<Place>()] });
  for (const [path, own] of Map.groupBy(routes, (route) => route.path)) router.add(ANY, path, placeOf(own));
  return {
    find(method, path) {
      const [matches, stash] = router.match(ANY, path);
      // All that fit are found, in the order they were added: a path that is just this one comes first.
      const match = matches.find(([, params]) => Object.keys(params).length === 0) ?? matches[0];
      if (match === undefined) return undefined;
      const [{ methods, allow }, params] = match;
      return {
        route: methods.get(method === 'HEAD' ? 'GET' : method),
        params: () => decodedAll(params, stash),
        allow,
      };
    },
  };
}

function placeOf(routes: readonly Route[]): Place {
  const methods = new Map(routes.map((route) => [route.method.toUpperCase(), route]));
  // Whoever can get something can also ask how long it is.
  const allow = [...methods.keys()].flatMap((one) => (one === 'GET' ? [one, 'HEAD'] : [one])).join(', ');
  return { methods, allow };
}

/** Values stand beside the match, or in a list that it points into: that depends on which router found it. */
function decodedAll(
  params: Readonly<Record<string, string | number>>,
  stash: readonly string[] | undefined,
): Record<string, string> {
  const entries = Object.entries(params).map(([name, value]) => {
    const text = typeof value === 'number' ? (stash?.[value] ?? '') : value;
    return [name, decoded(text)] as const;
  });
  return Object.fromEntries(entries);
}

function decoded(segment: string): string {
  try {
    return segment.includes('%') ? decodeURIComponent(segment) : segment;
  } catch {
    throw new Problem('invalid', 'The path is not valid: it has a % that stands for no character.');
  }
}
