import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';
import type { Gateway } from '../gateway.ts';
import type { Authenticator, Principal, Scope } from './auth.ts';
import type { LoginCodes } from './codes.ts';
import type { Guesses } from './guesses.ts';
import type { Readiness } from './readiness.ts';
import type { SearchLimit } from './search-limit.ts';
import type { Timing } from './timing.ts';
import type { Vigil } from './vigil.ts';

/** One thing that can be asked of the gateway. The server, the access rules and the description all come from it. */
export interface Route<Query = unknown, Body = unknown> {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** With parameters as `:name`. */
  readonly path: string;
  readonly access: 'public' | Scope;
  readonly summary: string;
  readonly tag: string;
  readonly query?: z.ZodType<Query>;
  /** A JSON body; `bytes` is a body that the route reads itself. */
  readonly body?: z.ZodType<Body> | 'bytes';
  readonly answers: Readonly<Record<number, Answer>>;
  handle(request: RouteRequest<Query, Body>): Reply | Promise<Reply>;
}

export interface Answer {
  readonly description: string;
  /** Of JSON. */
  readonly schema?: z.ZodType;
  /** Of anything else. */
  readonly type?: string;
}

export interface RouteRequest<Query = unknown, Body = unknown> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly principal: Principal;
  readonly requestId: string;
  /** The address of the peer. */
  readonly source: string;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly gateway: Gateway;
  readonly desk: Desk;
}

/** What routes need beside the gateway. */
export interface Desk {
  readonly codes: LoginCodes;
  readonly guesses: Guesses;
  readonly authenticator: Authenticator;
  readonly readiness: Readiness;
  readonly searches: SearchLimit;
  readonly vigil: Vigil;
  readonly timing: Timing;
  /** Answers so far, by the first digit of their status. */
  readonly answered: number[];
  /** Milliseconds of a clock that is never set back. */
  readonly now: () => number;
  /** Cookies only travel where the page is served over TLS. */
  readonly secureCookies: boolean;
}

/** `taken`: the route writes the answer itself. */
export type Reply =
  | { readonly status: number; readonly json?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | { readonly status: number; readonly text: string; readonly headers: Readonly<Record<string, string>> }
  | 'taken';

/** Keeps the types of query and body together with the route that has them. */
export function route<Query = undefined, Body = undefined>(given: Route<Query, Body>): Route {
  return given as unknown as Route;
}
