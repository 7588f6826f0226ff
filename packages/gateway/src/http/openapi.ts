import { z } from 'zod';
import { COOKIE } from './auth.ts';
import { type Answer, type Route, scopeOf } from './route.ts';
import { errorView } from './shapes.ts';

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document, generated from the routes. */
export function describeApi(routes: readonly Route[], version: string): Json {
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    if (route.tag === 'page') continue;
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: describeOperation(route, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Plugboard gateway',
      version,
      description:
        'Sessions with agents of any dialect. Event streams carry numbers: come back with Last-Event-ID.',
    },
    paths,
    components: {
      schemas,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        browser: { type: 'apiKey', in: 'cookie', name: COOKIE },
      },
    },
  };
}

function describeOperation(route: Route, schemas: Json): Json {
  const { summary, tag, body } = route;
  const scope = scopeOf(route);
  return {
    summary,
    tags: [tag],
    operationId: nameOf(route),
    ...(scope === 'public'
      ? { security: [] }
      : { security: [{ token: [] }, { browser: [] }], 'x-scope': scope }),
    parameters: [...pathParameters(route), ...queryParameters(route, schemas)],
    ...(body === undefined ? {} : { requestBody: requestBody(body, schemas) }),
    responses: describeResponses(route, schemas),
  };
}

function nameOf({ method, path }: Route): string {
  const words = path.split(/[/:.-]+/).filter((word) => word !== '' && word !== 'api');
  return [method, ...words]
    .map((word, at) => (at === 0 ? word : word[0]?.toUpperCase() + word.slice(1)))
    .join('');
}

function pathParameters({ path }: Route): Json[] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
}

function queryParameters({ query }: Route, schemas: Json): Json[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = schemaOf(query, schemas, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

function requestBody(body: NonNullable<Route['body']>, schemas: Json): Json {
  if (body === 'bytes')
    return { required: true, content: { '*/*': { schema: { type: 'string', format: 'binary' } } } };
  return { required: true, content: { 'application/json': { schema: schemaOf(body, schemas, 'input') } } };
}

function describeResponses({ answers }: Route, schemas: Json): Json {
  const known = Object.entries(answers).map(([status, answer]) => [
    status,
    describeResponse(answer, schemas),
  ]);
  const error = { description: 'What went wrong.', schema: errorView };
  return { ...Object.fromEntries(known), default: describeResponse(error, schemas) };
}

function describeResponse({ description, schema, type }: Answer, schemas: Json): Json {
  const json =
    schema === undefined ? {} : { 'application/json': { schema: schemaOf(schema, schemas, 'output') } };
  const other = type === undefined ? {} : { [type]: {} };
  const content = { ...json, ...other };
  return Object.keys(content).length === 0 ? { description } : { description, content };
}

/** A schema with an `id` is stored once in `schemas` and referred to by `$ref`. */
function schemaOf(schema: z.ZodType, schemas: Json, io: 'input' | 'output'): Json {
  const {
    $schema: _dialect,
    $defs = {},
    ...own
  } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json & {
    $defs?: Json;
  };
  const named = JSON.parse(
    JSON.stringify({ own, $defs }).replaceAll('#/$defs/', '#/components/schemas/'),
  ) as {
    own: Json;
    $defs: Json;
  };
  Object.assign(schemas, named.$defs);
  const { id } = named.own;
  if (typeof id !== 'string') return named.own;
  schemas[id] = named.own;
  return { $ref: `#/components/schemas/${id}` };
}
