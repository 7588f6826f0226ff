import { until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { allRoutes } from '../../src/http/http.ts';
import { describeApi } from '../../src/http/openapi.ts';
import { worker } from '../harness.ts';
import { startDoor } from './door.ts';
import { problemsOf, resolve } from './json-schema.ts';

type Json = Record<string, unknown>;

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security: readonly Json[];
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: Json;
  }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Json>> };
  readonly responses: Readonly<
    Record<
      string,
      { readonly description: string; readonly content?: Readonly<Record<string, { schema?: Json }>> }
    >
  >;
}

const routes = allRoutes({ version: '1.2.3' });
const document = describeApi(routes, '1.2.3');
const paths = document.paths as Readonly<Record<string, Readonly<Record<string, Operation>>>>;
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

function everyReference(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(everyReference);
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === '$ref' ? [String(value)] : everyReference(value),
  );
}

describe('the description of the API', () => {
  it('is OpenAPI 3.1 and tells of every route but pages', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'Plugboard gateway', version: '1.2.3' },
    });
    expect(Object.keys(document).sort()).toEqual(['components', 'info', 'openapi', 'paths']);
    const told = operations.map(({ path, method }) => `${method} ${path}`).sort();
    const there = routes
      .filter(({ tag }) => tag !== 'page')
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    expect(told).toEqual(there.sort());
  });

  it('refers to nothing that is not there', () => {
    const references = everyReference(document);
    expect(references.length).toBeGreaterThan(20);
    expect(references.filter((one) => !one.startsWith('#/') || resolve(document, one) === undefined)).toEqual(
      [],
    );
  });

  it('declares the parameters of each path, once, and names no operation twice', () => {
    for (const { path, operation } of operations) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = operation.parameters.filter((one) => one.in === 'path');
      expect(declared.map(({ name }) => name)).toEqual(named);
      expect(declared.every(({ required }) => required)).toBe(true);
      const keys = operation.parameters.map((one) => `${one.in} ${one.name}`);
      expect(new Set(keys).size).toBe(keys.length);
    }
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z0-9]+$/);
  });

  it('says of each operation who may, what it takes and what it gives', () => {
    const schemes = Object.keys((document.components as { securitySchemes: Json }).securitySchemes);
    for (const { method, operation } of operations) {
      expect(operation.summary).toMatch(/\.$/);
      for (const one of operation.security) expect(schemes).toContain(Object.keys(one)[0]);
      expect(Object.keys(operation.responses)).toContain('default');
      expect(Object.keys(operation.responses).some((status) => /^2\d\d$/.test(status))).toBe(true);
      for (const { description } of Object.values(operation.responses)) expect(description).not.toBe('');
      if (method === 'get' || method === 'delete') expect(operation.requestBody).toBeUndefined();
      else expect(Object.keys(operation.requestBody?.content ?? {})).toHaveLength(1);
    }
  });
});

describe('a real answer', () => {
  it('is what the description says', async () => {
    const door = await startDoor({ agents: (at) => [worker('one', 'agentproc/v4', at)] });
    const checked = new Set<string>();
    const check = async (
      method: string,
      path: string,
      url: string,
      body?: unknown,
      headers?: Record<string, string>,
    ) => {
      const answer = await door.call(method.toUpperCase(), url, body, headers);
      const value: unknown = answer.status === 204 ? undefined : await answer.json();
      const told = paths[path]?.[method]?.responses[String(answer.status)];
      expect(told, `${method} ${path} gave ${answer.status}: ${JSON.stringify(value)}`).toBeDefined();
      const schema = told?.content?.['application/json']?.schema;
      expect([path, problemsOf(schema ?? false, value, document)]).toEqual([
        path,
        value === undefined ? ['$ may not be there'] : [],
      ]);
      checked.add(`${method} ${path}`);
      return value as Json;
    };
    await check('get', '/api/agents', '/api/agents');
    await check('get', '/api/me', '/api/me');
    const session = await check('post', '/api/sessions', '/api/sessions', { place: 'hall' });
    const id = String(session.id);
    const media = await check('post', '/api/media', `/api/media?session=${id}&name=a.txt`, 'content', {
      'content-type': 'text/plain',
    });
    await check('post', '/api/sessions/{id}/messages', `/api/sessions/${id}/messages`, {
      text: 'tool box',
      attachments: [{ media: media.id }],
    });
    await check('get', '/api/sessions/{id}', `/api/sessions/${id}`);
    await until(
      async () =>
        !(await door.store.sessions.get(id))?.running &&
        ((await door.store.sessions.get(id))?.lastEvent ?? 0) > 3,
      'the answer',
    );
    await check('post', '/api/sessions', '/api/sessions', { place: 'hall' });
    await check('get', '/api/sessions', '/api/sessions?search=tool');
    await check('patch', '/api/sessions/{id}', `/api/sessions/${id}`, { title: 'named' });
    await check('post', '/api/sessions/{id}/messages', `/api/sessions/${id}/messages`, { text: '/status' });
    await check('post', '/api/sessions/{id}/stop', `/api/sessions/${id}/stop`, {});
    await check('get', '/api/sessions/{id}/events', `/api/sessions/${id}/events`);
    const { turns } = await check('get', '/api/sessions/{id}/turns', `/api/sessions/${id}/turns`);
    const turn = String((turns as Json[])[0]?.id);
    await check('get', '/api/turns/{id}', `/api/turns/${turn}`);
    await check('get', '/api/turns/{id}/record', `/api/turns/${turn}/record`);
    await check('post', '/api/turns/{id}/replay', `/api/turns/${turn}/replay`, {});
    await check('post', '/api/turns/{id}/cancel', `/api/turns/${turn}/cancel`, {});
    const { token } = await check('post', '/api/tokens', '/api/tokens', {
      name: 'ci',
      scopes: ['chat'],
      expiresInMs: 1_000,
    });
    await check('get', '/api/tokens', '/api/tokens');
    await check('delete', '/api/tokens/{id}', `/api/tokens/${(token as Json).id}`);
    await check('post', '/api/login-codes', '/api/login-codes', {});
    await check('post', '/api/backup', '/api/backup', { file: `${door.directory}/copy.db` });
    const body = { kind: 'notice', text: 'hi', media: [] };
    const sent = { channel: 'none', place: 'hall', body, expiresInMs: 60_000 };
    const { id: delivery } = await door.store.outbox.add(id, sent);
    await door.store.outbox.take({ channel: 'none', node: 'local', limit: 1 });
    await door.store.outbox.settle(delivery, { state: 'unknown', problem: 'cut off' });
    await check('get', '/api/deliveries', '/api/deliveries?state=unknown');
    await check('get', '/api/deliveries/{id}', `/api/deliveries/${delivery}`);
    await check('post', '/api/deliveries/{id}/settle', `/api/deliveries/${delivery}/settle`, { as: 'sent' });
    await check('get', '/v1/models', '/v1/models');
    await check('get', '/v1/models/{id}', '/v1/models/one');
    await check('post', '/v1/chat/completions', '/v1/chat/completions', {
      model: 'one',
      messages: [{ role: 'user', content: 'hi' }],
    });
    const response = await check('post', '/v1/responses', '/v1/responses', { model: 'one', input: 'hi' });
    await check('get', '/v1/responses/{id}', `/v1/responses/${response.id}`);
    await check('delete', '/api/sessions/{id}', `/api/sessions/${id}`);
    expect(checked.size).toBeGreaterThanOrEqual(28);
    const failed: unknown = await (await door.call('GET', '/api/sessions/nobody')).json();
    expect(problemsOf({ $ref: '#/components/schemas/Error' }, failed, document)).toEqual([]);
  });
});
