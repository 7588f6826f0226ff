import { describe, expect, it } from 'vitest';
import { findUnfilled, formData, readFields } from '../src/state/form.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Your name' },
    age: { type: 'integer' },
    size: { type: 'string', enum: ['s', 'l'], enumNames: ['Small', 'Large'] },
    colour: { oneOf: [{ const: 'r', title: 'Red' }] },
    tags: { type: 'array', items: { enum: ['a', 'b'] } },
    sure: { type: 'boolean', default: true },
  },
  required: ['name', 'tags'],
};

describe('a form', () => {
  const fields = readFields(SCHEMA) ?? [];

  it('has a field for each property of a flat schema', () => {
    expect(fields.map(({ label, kind }) => `${label} ${kind}`)).toEqual([
      'Your name text',
      'age integer',
      'size one',
      'colour one',
      'tags many',
      'sure switch',
    ]);
    expect(fields[2]?.choices).toEqual([
      { value: 's', label: 'Small' },
      { value: 'l', label: 'Large' },
    ]);
    expect(fields[3]?.choices).toEqual([{ value: 'r', label: 'Red' }]);
  });

  it('is answered as JSON where a property is no single value', () => {
    expect(readFields({ properties: { a: { type: 'object' } } })).toBeUndefined();
    expect(readFields({ properties: { a: 7 } })).toBeUndefined();
    expect(readFields({ properties: {} })).toBeUndefined();
    expect(readFields({})).toBeUndefined();
  });

  it('gives values of the right types, without fields that were left empty', () => {
    const values = { name: 'Ada', age: '36', tags: ['a'] };
    expect(formData(fields, values)).toEqual({ name: 'Ada', age: 36, tags: ['a'], sure: true });
  });

  it('cannot be sent before the required fields are filled, or with a number that is none', () => {
    expect(findUnfilled(fields, {})).toBe('Your name');
    expect(findUnfilled(fields, { name: 'Ada' })).toBe('tags');
    expect(findUnfilled(fields, { name: 'Ada', tags: ['a'], age: '1.5' })).toBe('age');
    expect(findUnfilled(fields, { name: 'Ada', tags: ['a'], age: '' })).toBeUndefined();
  });
});
