import type { Reply, ToolOffer } from '@plugboard/llm';
import { isObject, type JsonObject, type JsonValue } from '@plugboard/protocol';

/** A knowledge entry that the model proposes. */
export interface Lesson {
  readonly slug: string;
  readonly parent: string | undefined;
  readonly title: string;
  readonly body: string;
}

/** The content of the tool call `keep`. */
export interface Kept {
  readonly context: string;
  readonly facts: readonly string[];
  readonly knowledge: readonly Lesson[];
}

/** The tool by which the model returns a summary. */
export const KEEP: ToolOffer = {
  name: 'keep',
  description: 'Keeps what must survive of the messages you were shown. Call it once.',
  parameters: {
    type: 'object',
    required: ['context', 'facts'],
    properties: {
      context: { type: 'string', description: 'What was going on and how it ended, in a few sentences.' },
      facts: {
        type: 'array',
        items: { type: 'string' },
        description: 'One sentence each: names, numbers, paths, identifiers, decisions with their reasons.',
      },
      knowledge: {
        type: 'array',
        description: 'What will be true and useful long after this work, if there is anything.',
        items: {
          type: 'object',
          required: ['slug', 'title', 'body'],
          properties: {
            slug: { type: 'string', description: 'Small letters, digits and hyphens.' },
            parent: { type: 'string', description: 'The slug of the entry to put it under.' },
            title: { type: 'string' },
            body: { type: 'string' },
          },
        },
      },
    },
  },
};

/** Reads a summary from a tool call, from JSON in the text, or from plain text. Undefined when the reply has none. */
export function keptOf(reply: Reply): Kept | undefined {
  const call = reply.calls.find(({ name }) => name === KEEP.name) ?? reply.calls[0];
  const called = call && keptFrom(objectOf(call.input));
  if (called !== undefined) return called;
  const text = reply.text.trim();
  const written = keptFrom(jsonIn(text));
  if (written !== undefined) return written;
  // A text that begins like JSON and does not parse was cut off.
  if (text.length < 8 || /^(?:```|[{[])/.test(text)) return undefined;
  return { context: text, facts: [], knowledge: [] };
}

function keptFrom(value: JsonObject | undefined): Kept | undefined {
  if (value === undefined) return undefined;
  const context = textAt(value, 'context');
  const facts = listAt(value, 'facts').filter((fact) => typeof fact === 'string');
  if (context === '' && facts.length === 0) return undefined;
  return { context, facts, knowledge: listAt(value, 'knowledge').flatMap(lessonFrom) };
}

function lessonFrom(value: JsonValue): Lesson[] {
  if (!isObject(value)) return [];
  const [slug, body] = [textAt(value, 'slug').trim(), textAt(value, 'body').trim()];
  if (slug === '' || body === '') return [];
  const parent = textAt(value, 'parent').trim();
  return [
    { slug, body, title: textAt(value, 'title').trim() || slug, parent: parent === '' ? undefined : parent },
  ];
}

/** Some models send the input of a call as a string. */
function objectOf(input: JsonValue): JsonObject | undefined {
  if (typeof input === 'string') return jsonIn(input);
  return isObject(input) ? input : undefined;
}

/** The object from the first `{` to the last `}`, also within a code fence and other text. */
function jsonIn(text: string): JsonObject | undefined {
  const start = text.indexOf('{');
  const end = text.lastIndexOf('}');
  if (start < 0 || end < start) return undefined;
  try {
    const value = JSON.parse(text.slice(start, end + 1)) as JsonValue;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function textAt(value: JsonObject, name: string): string {
  const field = value[name];
  return typeof field === 'string' ? field : '';
}

function listAt(value: JsonObject, name: string): readonly JsonValue[] {
  const field = value[name];
  return Array.isArray(field) ? field : [];
}
