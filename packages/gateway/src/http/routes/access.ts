import { StoreError } from '@plugboard/store';
import { z } from 'zod';
import { COOKIE } from '../auth.ts';
import { SCOPES } from '../authorize.ts';
import { Problem } from '../problem.ts';
import { type Route, route } from '../route.ts';
import { hashOf, newSecret } from '../secrets.ts';
import { tokenView } from '../shapes.ts';
import { viewToken } from '../views.ts';

/** 100 years: far larger times would lose their milliseconds in a `number`. */
const LONGEST_MS = 100 * 365 * 24 * 3_600_000;

const BROWSER_MS = 30 * 24 * 3_600_000;
const scope = z.union([z.enum(SCOPES), z.string().regex(/^agent:[a-z0-9][a-z0-9-]{0,63}$/)]);

/** Login, logout and tokens. */
export const accessRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/api/login',
    resource: 'public',
    tag: 'access',
    summary: 'Logs a browser in with a one-time code.',
    body: z.strictObject({ code: z.string().min(1).max(200) }),
    answers: { 204: { description: 'Logged in; the cookie says so.' } },
    async handle({ body, services, gateway, source }) {
      const rights = services.codes.take(body.code);
      if (rights === undefined) {
        services.guesses.wrong(source);
        throw new Problem(
          'unauthenticated',
          'This link was used already or is too old. Ask for a new one: plugboard login.',
        );
      }
      const secret = newSecret();
      const id = `browser-${hashOf(secret).slice(0, 12)}`;
      const scopes = ['chat', 'inspect', ...(rights.operates ? ['operate'] : [])];
      await gateway.store.tokens.add({
        id,
        name: 'browser',
        hash: hashOf(secret),
        scopes,
        expiresInMs: BROWSER_MS,
      });
      const secure = services.secureCookies ? '; Secure' : '';
      const age = BROWSER_MS / 1000;
      const cookie = `${COOKIE}=${secret}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`;
      return { status: 204, headers: { 'set-cookie': cookie } };
    },
  }),
  route({
    method: 'post',
    path: '/api/logout',
    resource: 'account',
    tag: 'access',
    summary: 'Ends the login of this browser.',
    body: z.strictObject({}),
    answers: { 204: { description: 'Logged out.' } },
    async handle({ principal, gateway, services }) {
      if (principal.id.startsWith('browser-')) await gateway.store.tokens.revoke(principal.id);
      services.authenticator.forget(principal.id);
      return {
        status: 204,
        headers: { 'set-cookie': `${COOKIE}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict` },
      };
    },
  }),
  route({
    method: 'get',
    path: '/api/me',
    resource: 'account',
    tag: 'access',
    summary: 'Says who you are.',
    answers: {
      200: { description: 'You.', schema: z.object({ name: z.string(), scopes: z.array(z.string()) }) },
    },
    handle: ({ principal: { name, scopes } }) => ({ status: 200, json: { name, scopes } }),
  }),
  route({
    method: 'post',
    path: '/api/login-codes',
    resource: 'tokens',
    tag: 'access',
    summary: 'Makes a one-time code for a browser; it is good for five minutes.',
    body: z.strictObject({
      operate: z
        .boolean()
        .default(false)
        .describe('The browser may also let people into channels and settle deliveries.'),
    }),
    answers: { 201: { description: 'The code.', schema: z.object({ code: z.string() }) } },
    handle: ({ services, body }) => ({
      status: 201,
      json: { code: services.codes.create({ operates: body.operate }) },
    }),
  }),
  route({
    method: 'get',
    path: '/api/tokens',
    resource: 'tokens',
    tag: 'access',
    summary: 'Lists the tokens.',
    answers: { 200: { description: 'All of them.', schema: z.object({ tokens: z.array(tokenView) }) } },
    handle: async ({ gateway }) => ({
      status: 200,
      json: { tokens: (await gateway.store.tokens.list()).map(viewToken) },
    }),
  }),
  route({
    method: 'post',
    path: '/api/tokens',
    resource: 'tokens',
    tag: 'access',
    summary: 'Makes a token. Its secret is in the answer, and nowhere else.',
    body: z.strictObject({
      name: z
        .string()
        .min(1)
        .max(100)
        .refine((name) => !/\p{Cc}/u.test(name), {
          error: 'A name has no line feeds and no control characters.',
        }),
      scopes: z
        .array(scope)
        .min(1)
        .max(100)
        .refine((all) => all.some((one) => !one.startsWith('agent:')), {
          error: 'A scope such as chat is needed: "agent:" limits another scope to one agent.',
        }),
      expiresInMs: z.int().positive().max(LONGEST_MS).optional(),
    }),
    answers: {
      201: { description: 'The token.', schema: z.object({ token: tokenView, secret: z.string() }) },
    },
    async handle({ body, gateway }) {
      const secret = newSecret();
      const { name, scopes, expiresInMs } = body;
      const id = `token-${hashOf(secret).slice(0, 16)}`;
      const expiry = expiresInMs === undefined ? {} : { expiresInMs };
      const fields = { id, name, hash: hashOf(secret), scopes, ...expiry };
      try {
        const token = await gateway.store.tokens.add({ ...fields, isNameUnique: true });
        return { status: 201, json: { token: viewToken(token), secret } };
      } catch (error) {
        if (!(error instanceof StoreError) || error.code !== 'conflict') throw error;
        const remedy = 'Choose another name, or revoke that one first: plugboard token list shows its id.';
        throw new Problem('conflict', `There is a token "${name}" already. ${remedy}`);
      }
    },
  }),
  route({
    method: 'delete',
    path: '/api/tokens/:id',
    resource: 'tokens',
    tag: 'access',
    summary: 'Revokes a token.',
    answers: { 204: { description: 'Revoked.' } },
    async handle({ params, gateway, services }) {
      const revoked = await gateway.store.tokens.revoke(params.id ?? '');
      services.authenticator.forget(params.id ?? '');
      if (!revoked) throw new Problem('not-found', 'There is no such token.');
      return { status: 204 };
    },
  }),
];
