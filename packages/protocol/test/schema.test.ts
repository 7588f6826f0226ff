import { expect, it } from 'vitest';
import { schemaProblem, schemaPrompt } from '../src/framing/schema.ts';

const schema = {
  type: 'object',
  required: ['scene'],
  properties: {
    scene: {
      type: 'object',
      required: ['pov'],
      properties: { pov: { type: 'string' }, kind: { enum: ['a', 1] } },
    },
    facts: { type: 'array', items: { type: ['string', 'null'] } },
    version: { const: 2 },
    count: { type: 'integer' },
    toString: { type: 'string' },
  },
  additionalProperties: false,
};

it.each([
  [{ scene: { pov: 'x', kind: 1, more: true }, facts: ['a', null], version: 2, count: 3 }, undefined],
  [undefined, 'data is missing'],
  [[], 'data is not of type "object"'],
  [{}, 'data.scene is missing'],
  [{ scene: {} }, 'data.scene.pov is missing'],
  [{ scene: { pov: 7 } }, 'data.scene.pov is not of type "string"'],
  [{ scene: { pov: 'x', kind: 'b' } }, 'data.scene.kind is not one of ["a",1]'],
  [{ scene: { pov: 'x' }, facts: ['a', 2] }, 'data.facts[1] is not of type ["string","null"]'],
  [{ scene: { pov: 'x' }, version: 1 }, 'data.version is not one of [2]'],
  [{ scene: { pov: 'x' }, count: 1.5 }, 'data.count is not of type "integer"'],
  [{ scene: { pov: 'x' }, other: 1 }, 'data.other is not asked for'],
])('%j has the problem %j', (value, problem) => {
  expect(schemaProblem(value, schema)).toBe(problem);
});

it('takes an empty schema for met', () => {
  expect(schemaProblem({ anything: [] }, {})).toBeUndefined();
});

it('is put into words with the schema as it is', () => {
  expect(schemaPrompt({ type: 'object' })).toContain('{"type":"object"}');
});
