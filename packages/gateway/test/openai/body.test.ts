import { expect, it } from 'vitest';
import { z } from 'zod';
import { parseBody } from '../../src/http/openai/body.ts';

const schema = z.object({
  messages: z.array(z.string()).min(1).max(2),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  role: z.enum(['user', 'tool']).nullish(),
  name: z.string().max(3).nullish(),
  n: z.literal(1, 'There is one answer.').nullish(),
  top: z.number().nullish(),
});

it.each([
  [{ messages: [] }, 'messages must have at least 1 entries.'],
  [{ messages: ['a', 'b', 'c'] }, 'messages must have at most 2 entries.'],
  [{ messages: 'hi' }, 'messages must be a list.'],
  [{ messages: [5] }, 'messages[0] must be a text.'],
  [{ messages: ['a'], role: 'x' }, 'role must be "user" or "tool".'],
  [{ messages: ['a'], name: 'long' }, 'name must have at most 3 characters.'],
  [{ messages: ['a'], top: 'x' }, 'top must be a number.'],
  [{ messages: ['a'], stop: 5 }, 'stop is none of the kinds that are expected.'],
  [{ messages: ['a'], n: 2 }, 'n: There is one answer.'],
  [{}, 'The field messages is missing.'],
  ['hi', 'The body must be a JSON object.'],
])('the refusal of %j is a sentence of ours', (body, message) => {
  expect(() => parseBody(schema, body, false)).toThrow(message);
});
