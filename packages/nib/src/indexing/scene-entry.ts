import type { Scene } from '../project/book.ts';
import { toSlug } from '../project/slug.ts';
import type { SceneEntry } from '../storydb/replace-scene.ts';
import type { Extraction } from './extraction-schema.ts';

/**
 * Converts an extraction to the form in which it is stored. Names become slugs, because a model spells the name of one
 * person in several ways. The book overrides the model on interludes. Unknown keys are dropped.
 */
export function normaliseExtraction(
  { scene, facts, characters, locations }: Extraction,
  { interlude }: Pick<Scene, 'interlude'>,
): Extraction {
  const { scene_type } = scene;
  return {
    scene: {
      ...pickFields(scene, SCENE),
      pov: toSlug(scene.pov),
      scene_type: interlude && scene_type === 'regular' ? 'interlude' : scene_type,
      location: toSlug(scene.location),
    },
    facts: facts.map((fact) => pickFields(fact, FACT)),
    characters: characters
      .map(({ character, role }) => ({ character: toSlug(character), role }))
      .filter(({ character }) => character !== ''),
    locations: locations.map((place) => ({ ...pickFields(place, PLACE), id: toSlug(place.id) })),
  };
}

/** The story database entry of a scene; `sum` is the checksum of its file. */
export function createSceneEntry(extraction: Extraction, slug: string, sum: string): SceneEntry {
  return { ...extraction, scene: { ...extraction.scene, scene: slug, checksum: sum } };
}

const SCENE = ['pov', 'scene_type', 'location', 'date', 'time', 'summary'] as const;
const FACT = ['category', 'summary', 'detail', 'source_text', 'date', 'time'] as const;
const PLACE = ['id', 'name', 'type', 'description'] as const;

function pickFields<K extends string>(
  record: Readonly<Record<K, string>>,
  keys: readonly K[],
): Record<K, string> {
  return Object.fromEntries(keys.map((key) => [key, record[key]])) as Record<K, string>;
}
