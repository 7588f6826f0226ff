import { describe, expect, it } from 'vitest';
import { schemaProblem } from '../src/expect/schema.ts';

const schema = {
  type: 'object',
  required: ['kind', 'facts'],
  properties: {
    kind: { type: 'string', enum: ['regular', 'document'] },
    count: { type: ['integer', 'null'] },
    facts: {
      type: 'array',
      items: { type: 'object', required: ['summary'], properties: { summary: { type: 'string' } } },
    },
  },
};

describe('The JSON Schema subset', () => {
  it('finds nothing wrong with what conforms', () => {
    expect(
      schemaProblem({ kind: 'regular', count: null, facts: [{ summary: 'a', more: 1 }] }, schema),
    ).toBeUndefined();
  });

  it('names the place of what is missing', () => {
    expect(schemaProblem({ kind: 'regular' }, schema)).toBe('data.facts is missing');
    expect(schemaProblem({ kind: 'regular', facts: [{ summary: 'a' }, {}] }, schema)).toBe(
      'data.facts[1].summary is missing',
    );
    expect(schemaProblem(undefined, schema)).toBe('data is missing');
  });

  it('names the place of what is of another type', () => {
    expect(schemaProblem([], schema)).toBe('data is not of type "object"');
    expect(schemaProblem({ kind: 'regular', count: 1.5, facts: [] }, schema)).toBe(
      'data.count is not of type ["integer","null"]',
    );
  });

  it('holds values to an enumeration', () => {
    expect(schemaProblem({ kind: 'dream', facts: [] }, schema)).toBe(
      'data.kind is not one of ["regular","document"]',
    );
  });
});
