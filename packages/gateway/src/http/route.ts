import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import type { Config } from '../config/config.ts';
import type { Gateway } from '../gateway.ts';
import type { Authenticator, Principal } from './auth.ts';
import { type ResourceKind, RULES } from './authorize.ts';
import type { GuessLimit } from './guess-limit.ts';
import type { LoginCodes } from './login-codes.ts';
import type { Found, Lookup } from './lookup.ts';
import type { Readiness } from './readiness.ts';
import type { SearchLimit } from './search-limit.ts';
import type { Timing } from './timing.ts';
import type { TokenWatch } from './token-watch.ts';

/** A kind of resource, or one resource that the request names. */
type Subject = ResourceKind | Lookup;

/** The value of the resource that a request names; unknown for a route of which only `Subject` is known. */
type FoundOf<About> = Subject extends About
  ? unknown
  : About extends Lookup<infer Kind>
    ? Found[Kind]
    : undefined;

/** A route. The router, the access rules and the OpenAPI document use it. */
export interface Route<Query = unknown, Body = unknown, About extends Subject = Subject> {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** Parameters are written `:name`. */
  readonly path: string;
  /** What the route is about: `authorize` decides by its rule before the handler runs. */
  readonly resource: About;
  /** Further resources that query or body may name. */
  readonly mentions?: readonly Lookup[];
  readonly summary: string;
  readonly tag: string;
  readonly query?: z.ZodType<Query>;
  /** Schema of a JSON body; for `bytes` the route reads the body itself. */
  readonly body?: z.ZodType<Body> | 'bytes';
  /** Whether `bytes` may be a form. Only where the handler checks a signature: any web page can make a browser send forms. */
  readonly takesForms?: true;
  /** Validates the JSON body instead of `body`, which then only describes it. */
  readonly parseBody?: (value: unknown, config: Config) => Body;
  readonly answers: Readonly<Record<number, Answer>>;
  handle(request: RouteRequest<Query, Body, FoundOf<About>>): Reply | Promise<Reply>;
}

export interface Answer {
  readonly description: string;
  /** Schema of a JSON response. */
  readonly schema?: z.ZodType;
  /** Media type of a response that is not JSON. */
  readonly type?: string;
}

export interface RouteRequest<Query = unknown, Body = unknown, Value = unknown> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** The JSON body before it was validated. */
  readonly sent: unknown;
  /** The resource that `Route.resource` names. The principal may see it. */
  readonly found: Value;
  readonly principal: Principal;
  readonly requestId: string;
  /** Client address, from `peerOf`. */
  readonly source: string;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly gateway: Gateway;
  readonly services: HttpServices;
}

/** Services of the HTTP server that routes use. */
export interface HttpServices {
  readonly codes: LoginCodes;
  readonly guesses: GuessLimit;
  readonly authenticator: Authenticator;
  readonly readiness: Readiness;
  readonly searches: SearchLimit;
  readonly tokenWatch: TokenWatch;
  readonly timing: Timing;
  /** Number of responses by the first digit of their status. */
  readonly answered: number[];
  /** Monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Whether cookies are `Secure`: true when `publicUrl` is https. */
  readonly secureCookies: boolean;
}

/** `taken` means that the route has written the response itself. */
export type Reply =
  | { readonly status: number; readonly json?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | { readonly status: number; readonly text: string; readonly headers: Readonly<Record<string, string>> }
  | 'taken';

/** Type-checks `handle` against its own `query` and `body`. */
export function route<Query = undefined, Body = undefined, const About extends Subject = Subject>(
  given: Route<Query, Body, About>,
): Route {
  return given as unknown as Route;
}

export function kindOf({ resource }: Route): ResourceKind {
  return typeof resource === 'string' ? resource : resource.kind;
}

/** Scope that a token needs for the route; `public` needs no token. */
export function scopeOf(route: Route): (typeof RULES)[ResourceKind]['scope'] {
  return RULES[kindOf(route)].scope;
}
