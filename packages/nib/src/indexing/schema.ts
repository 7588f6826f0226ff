import type { JsonObject } from '@plugboard/protocol';

/** What a backend finds in a scene. */
export interface Extraction {
  readonly scene: Record<'pov' | 'scene_type' | 'location' | 'date' | 'time' | 'summary', string>;
  readonly facts: readonly Record<
    'category' | 'summary' | 'detail' | 'source_text' | 'date' | 'time',
    string
  >[];
  readonly characters: readonly Record<'character' | 'role', string>[];
  readonly locations: readonly Record<'id' | 'name' | 'type' | 'description', string>[];
}

/** The parts of an extraction that are lists of records. */
export type ListName = 'facts' | 'characters' | 'locations';

/** The shape in which a backend has to answer, as JSON Schema. Every host of this protocol asks for the same one. */
export const EXTRACTION_SCHEMA: JsonObject = object({
  scene: object({
    pov: text(),
    scene_type: oneOf('regular', 'interlude', 'document'),
    location: text(),
    date: text(),
    time: text(),
    summary: text(),
  }),
  facts: listOf({
    category: oneOf('event', 'description', 'relationship', 'state'),
    summary: text(),
    detail: text(),
    source_text: text(),
    date: text(),
    time: text(),
  }),
  characters: listOf({ character: text(), role: oneOf('pov', 'present', 'mentioned') }),
  locations: listOf({
    id: text(),
    name: text(),
    type: oneOf('workplace', 'home', 'public', 'outdoor', 'vehicle', 'other'),
    description: text(),
  }),
});

function object(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties) };
}

function listOf(properties: JsonObject): JsonObject {
  return { type: 'array', items: object(properties) };
}

function text(): JsonObject {
  return { type: 'string' };
}

function oneOf(...values: readonly string[]): JsonObject {
  return { type: 'string', enum: [...values] };
}
