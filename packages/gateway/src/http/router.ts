import { Problem } from './problem.ts';
import type { Route } from './route.ts';

/** What was found at a path. */
export interface Found {
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
  readonly segments: readonly string[];
  readonly methods: Map<string, Route>;
  allow: string;
}

const NO_PARAMS: Readonly<Record<string, string>> = {};

/**
 * Finds routes by their path, taken as it was sent: dot segments, doubled and encoded slashes and the like are not
 * understood, and so lead nowhere.
 */
export function createRouter(routes: readonly Route[]): Router {
  const fixed = new Map<string, Place>();
  const open: Place[] = [];
  for (const route of routes) {
    const segments = route.path.split('/');
    const known = fixed.get(route.path) ?? open.find((place) => place.segments.join('/') === route.path);
    const place = known ?? { segments, methods: new Map(), allow: '' };
    if (known === undefined && route.path.includes('/:')) open.push(place);
    else if (known === undefined) fixed.set(route.path, place);
    place.methods.set(route.method.toUpperCase(), route);
    place.allow = allowOf(place);
  }
  return {
    find(method, path) {
      const place = fixed.get(path);
      if (place !== undefined) return foundAt(place, method, () => NO_PARAMS);
      const segments = path.split('/');
      const match = open.find((one) => matches(one.segments, segments));
      return match === undefined
        ? undefined
        : foundAt(match, method, () => paramsOf(match.segments, segments));
    },
  };
}

function foundAt({ methods, allow }: Place, method: string, params: Found['params']): Found {
  return { route: methods.get(method === 'HEAD' ? 'GET' : method), params, allow };
}

/** Whoever can get something can also ask how long it is. */
function allowOf({ methods }: Place): string {
  return [...methods.keys()].flatMap((one) => (one === 'GET' ? [one, 'HEAD'] : [one])).join(', ');
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, at) => (part.startsWith(':') ? segments[at] !== '' : part === segments[at]))
  );
}

function paramsOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [at, part] of pattern.entries()) {
    if (part.startsWith(':')) params[part.slice(1)] = decoded(segments[at] ?? '');
  }
  return params;
}

function decoded(segment: string): string {
  try {
    return segment.includes('%') ? decodeURIComponent(segment) : segment;
  } catch {
    throw new Problem('invalid', 'The path is not valid: it has a % that stands for no character.');
  }
}
