import type { SceneEntry } from '../src/storydb/replace.ts';
import type { Story } from '../src/storydb/story.ts';
import { emptyTable } from '../src/storydb/table.ts';

/** A story database that knows nothing. */
export function emptyStory(): Story {
  return {
    scenes: emptyTable('scenes'),
    facts: emptyTable('facts'),
    scene_characters: emptyTable('scene_characters'),
    locations: emptyTable('locations'),
    timeline: emptyTable('timeline'),
  };
}

/** What an index run found in a scene; `mark` tells one run from another. */
export function entryFor(slug: string, mark: string, changes: Partial<SceneEntry> = {}): SceneEntry {
  return {
    scene: {
      scene: slug,
      pov: 'ada',
      scene_type: 'regular',
      location: 'mill',
      date: '1952-03-01',
      time: 'dawn',
      summary: `summary ${mark}`,
      checksum: mark,
    },
    facts: [1, 2].map((number) => ({
      category: 'event',
      summary: `fact ${number} ${mark}`,
      detail: '',
      source_text: 'She "said", and left.',
      date: '',
      time: '',
    })),
    characters: [
      { character: 'ada', role: 'pov' },
      { character: mark, role: 'mentioned' },
    ],
    locations: [{ id: 'mill', name: 'The Mill', type: 'workplace', description: mark }],
    ...changes,
  };
}
