import type { JsonObject } from '@plugboard/protocol';

/** The data that a backend extracts from a scene. */
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

/** JSON Schema of the answer to `continuity-index`. All hosts of the nib protocol use this schema. */
export const EXTRACTION_SCHEMA: JsonObject = createObject({
  scene: createObject({
    pov: createText(),
    scene_type: createEnum('regular', 'interlude', 'document'),
    location: createText(),
    date: createText(),
    time: createText(),
    summary: createText(),
  }),
  facts: createList({
    category: createEnum('event', 'description', 'relationship', 'state'),
    summary: createText(),
    detail: createText(),
    source_text: createText(),
    date: createText(),
    time: createText(),
  }),
  characters: createList({ character: createText(), role: createEnum('pov', 'present', 'mentioned') }),
  locations: createList({
    id: createText(),
    name: createText(),
    type: createEnum('workplace', 'home', 'public', 'outdoor', 'vehicle', 'other'),
    description: createText(),
  }),
});

function createObject(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties) };
}

function createList(properties: JsonObject): JsonObject {
  return { type: 'array', items: createObject(properties) };
}

function createText(): JsonObject {
  return { type: 'string' };
}

function createEnum(...values: readonly string[]): JsonObject {
  return { type: 'string', enum: [...values] };
}
