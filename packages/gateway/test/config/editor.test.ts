import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { configSchema } from '../../src/config/editor.ts';
import { isRecord } from '../../src/config/reader.ts';
import { writeSampleConfig } from '../../src/config/sample.ts';
import { WHOLE } from './folder.ts';

type Json = Record<string, unknown>;

/** Every named property in a schema, with its path. */
function properties(schema: unknown, path = ''): [string, Json][] {
  if (Array.isArray(schema)) return schema.flatMap((item) => properties(item, path));
  if (!isRecord(schema)) return [];
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key !== 'properties' || !isRecord(value)) return properties(value, path);
    return Object.entries(value).flatMap(([name, property]): [string, Json][] => {
      const at = `${path}.${name}`;
      return isRecord(property) ? [[at, property], ...properties(property, at)] : [];
    });
  });
}

describe('the JSON Schema', () => {
  const schema = configSchema();

  it('is of the draft that editors know', () => {
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      additionalProperties: false,
    });
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
  });

  it('asks for nothing', () => expect(schema.required).toBeUndefined());

  it('says what every field is for', () => {
    const found = properties(schema);
    expect(found.length).toBeGreaterThan(80);
    expect(
      found.filter(([, property]) => !/\w.*\.$/.test(String(property.description))).map(([path]) => path),
    ).toEqual([]);
  });

  it('allows no other fields anywhere', () => {
    const maps = properties({ properties: { root: schema } }).filter(
      ([, property]) => 'properties' in property,
    );
    // Beside the built-in channels stand those of platforms, which have a schema of their own.
    const closed = maps.filter(([path]) => path !== '.root.channels');
    expect(closed.filter(([, map]) => map.additionalProperties !== false).map(([path]) => path)).toEqual([]);
  });

  it.each([
    ['the one that says everything', WHOLE],
    ['the one to begin with', writeSampleConfig({ agents: [{ name: 'a', dialect: 'nib', command: ['x'] }] })],
    ['the empty one', '{}'],
    ['numbers as variables', 'agents: { a: { dialect: nib, command: x, env: { PORT: 80 } } }'],
  ])('holds for %s', (_which, text) => {
    expect(z.fromJSONSchema(schema).safeParse(parse(text)).error?.issues ?? []).toEqual([]);
  });

  it.each([
    'servr: {}',
    'server: { prot: 1 }',
    'server: { port: 70000 }',
    'agents: { a: { demo: true, profile: x } }',
    'agents: { a: { dialect: nib } }',
    'agents: { A: { demo: true } }',
    'agents: { a: { dialect: nope, command: x } }',
    'log: { level: loud }',
    'channels: { webhook: { url: "https://a.example" } }',
  ])('does not hold for %s', (text) => {
    expect(z.fromJSONSchema(schema).safeParse(parse(text)).success).toBe(false);
  });
});
