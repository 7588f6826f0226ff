import type { SceneEntry } from '../src/storydb/replace-scene.ts';
import type { Story } from '../src/storydb/story.ts';
import { createEmptyTable } from '../src/storydb/table.ts';

/** A story database without rows. */
export function createEmptyStory(): Story {
  return {
    scenes: createEmptyTable('scenes'),
    facts: createEmptyTable('facts'),
    scene_characters: createEmptyTable('scene_characters'),
    locations: createEmptyTable('locations'),
    timeline: createEmptyTable('timeline'),
  };
}

/** The entry of a scene; `mark` distinguishes two runs. */
export function createTestEntry(slug: string, mark: string, changes: Partial<SceneEntry> = {}): SceneEntry {
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
