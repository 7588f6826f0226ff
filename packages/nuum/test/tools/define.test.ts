import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/tools/define.ts';
import { successOutcome } from '../../src/tools/outcome.ts';

const tool = defineTool({
  name: 'greet',
  description: 'Greets.',
  schema: z.object({ name: z.string(), times: z.int().min(1).optional() }),
  effect: 'read',
  subjects: ({ name }) => [{ kind: 'none', value: name }],
  run: async ({ name, times = 1 }) => successOutcome(`hello ${name} `.repeat(times)),
});

it('a tool describes its input by JSON Schema', () => {
  expect(tool.parameters).toMatchObject({ type: 'object', required: ['name'] });
  expect(Object.keys(tool.parameters)).not.toContain('$schema');
});

it.each([
  [{}, '`name` is missing'],
  [{ name: 3 }, '`name`: expected string'],
  [{ name: 'a', times: 0 }, '`times`'],
  [['a'], 'must be an object'],
  [null, 'must be an object'],
])('a tool says what is wrong with %j', (input, problem) => {
  const parsed = tool.parse(input);
  expect(parsed.ok ? '' : parsed.problem).toContain(problem);
});

it('a tool ignores unknown fields', () => {
  expect(tool.parse({ name: 'a', mood: 'good' })).toEqual({ ok: true, input: { name: 'a' } });
});

it('a tool runs with the parsed input', async () => {
  const context = { signal: new AbortController().signal, directory: '/', environment: {}, log: () => {} };
  expect((await tool.run({ name: 'you', times: 2 }, context)).content).toBe('hello you hello you ');
});
