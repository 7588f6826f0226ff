import type { Scene } from '../project/book.ts';
import { slugify } from '../project/slug.ts';
import type { SceneEntry } from '../storydb/replace.ts';
import type { Extraction } from './schema.ts';

/**
 * An extraction as it will be stored. Names become slugs, whatever the model made of them, so that one person is not two;
 * the book knows better than a model what is an interlude. Keys of a backend's own are left out.
 */
export function normalise(
  { scene, facts, characters, locations }: Extraction,
  { interlude }: Pick<Scene, 'interlude'>,
): Extraction {
  const { scene_type } = scene;
  return {
    scene: {
      ...pick(scene, SCENE),
      pov: slugify(scene.pov),
      scene_type: interlude && scene_type === 'regular' ? 'interlude' : scene_type,
      location: slugify(scene.location),
    },
    facts: facts.map((fact) => pick(fact, FACT)),
    characters: characters
      .map(({ character, role }) => ({ character: slugify(character), role }))
      .filter(({ character }) => character !== ''),
    locations: locations.map((place) => ({ ...pick(place, PLACE), id: slugify(place.id) })),
  };
}

/** What is stored of a scene whose file has this sum. */
export function entryOf(extraction: Extraction, slug: string, sum: string): SceneEntry {
  return { ...extraction, scene: { ...extraction.scene, scene: slug, checksum: sum } };
}

const SCENE = ['pov', 'scene_type', 'location', 'date', 'time', 'summary'] as const;
const FACT = ['category', 'summary', 'detail', 'source_text', 'date', 'time'] as const;
const PLACE = ['id', 'name', 'type', 'description'] as const;

function pick<K extends string>(record: Readonly<Record<K, string>>, keys: readonly K[]): Record<K, string> {
  return Object.fromEntries(keys.map((key) => [key, record[key]])) as Record<K, string>;
}
