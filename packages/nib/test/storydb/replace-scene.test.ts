import { describe, expect, it } from 'vitest';
import { removeScene, renameScene, replaceScene, retypeScene } from '../../src/storydb/replace-scene.ts';
import type { Story } from '../../src/storydb/story.ts';
import { formatTable, parseTable } from '../../src/storydb/table.ts';
import { createUlids } from '../../src/storydb/ulid.ts';
import { createEmptyStory, createTestEntry } from '../stories.ts';

const ids = createUlids(() => 0);
const minting = { newId: ids, indexedAt: '2026-01-02T03:04:05Z' };
const indexed = (story: Story, slug: string, mark: string, changes = {}): Story =>
  replaceScene(story, createTestEntry(slug, mark, changes), minting);
const three = (): Story =>
  ['a', 'b', 'c'].reduce((story, slug) => indexed(story, slug, `${slug}1`), createEmptyStory());

describe('replacing a scene', () => {
  it('replaceScene writes all tables, with ids and the time', () => {
    const story = indexed(createEmptyStory(), 'a', 'x');
    expect(story.scenes.rows[0]).toMatchObject({ scene: 'a', checksum: 'x', indexed_at: minting.indexedAt });
    expect(story.facts.rows.map(({ scene }) => scene)).toEqual(['a', 'a']);
    expect(new Set(story.facts.rows.map(({ id }) => id)).size).toBe(2);
    expect(story.locations.rows).toMatchObject([{ id: 'mill', first_scene: 'a' }]);
  });

  it('replaceScene twice leaves one copy, at the old position', () => {
    const story = indexed(three(), 'b', 'b2');
    expect(story.scenes.rows.map(({ checksum }) => checksum)).toEqual(['a1', 'b2', 'c1']);
    expect(story.facts.rows.map(({ summary }) => summary)).toEqual([
      'fact 1 a1',
      'fact 2 a1',
      'fact 1 b2',
      'fact 2 b2',
      'fact 1 c1',
      'fact 2 c1',
    ]);
    expect(story.locations.rows).toHaveLength(1);
  });

  it('replaceScene keeps locations of other scenes, and updates its own', () => {
    expect(indexed(three(), 'b', 'b2').locations.rows[0]?.description).toBe('a1');
    expect(indexed(three(), 'a', 'a2').locations.rows[0]?.description).toBe('a2');
  });

  it('a location that a scene no longer names passes to another scene set there', () => {
    expect(indexed(three(), 'a', 'a2', { locations: [] }).locations.rows).toMatchObject([
      { id: 'mill', first_scene: 'b' },
    ]);
  });

  it('a location without an id is found by its name', () => {
    const nameless = { locations: [{ id: '', name: 'the barn', type: 'other', description: '' }] };
    const once = indexed(createEmptyStory(), 'a', 'x', nameless);
    const twice = indexed(indexed(once, 'a', 'y', nameless), 'b', 'z', nameless);
    expect(twice.locations.rows).toHaveLength(1);
    expect(twice.locations.rows[0]?.id).toBe(once.locations.rows[0]?.id);
    expect(once.locations.rows[0]?.id).toHaveLength(26);
  });

  it('replaceScene lists a character once', () => {
    const characters = [
      { character: 'ada', role: 'pov' },
      { character: 'ada', role: 'mentioned' },
    ];
    expect(indexed(createEmptyStory(), 'a', 'x', { characters }).scene_characters.rows).toMatchObject([
      { role: 'pov' },
    ]);
  });

  it('replaceScene writes no line breaks into a field', () => {
    const nasty = 'one\r\ntwo\nthree\u2028four, "five"';
    const entry = createTestEntry('a', 'x');
    const all = (row: Readonly<Record<string, string>>) =>
      Object.fromEntries(Object.keys(row).map((key) => [key, key === 'scene' ? 'a' : nasty])) as never;
    const story = replaceScene(
      createEmptyStory(),
      {
        scene: all(entry.scene),
        facts: entry.facts.map(all),
        characters: entry.characters.map(all),
        locations: entry.locations.map(all),
      },
      minting,
    );
    for (const name of ['scenes', 'facts', 'scene_characters', 'locations'] as const) {
      const text = formatTable(story[name]);
      expect(text.trimEnd().split('\n')).toHaveLength(story[name].rows.length + 1);
      expect(parseTable(name, text, name).rows).toEqual(story[name].rows);
    }
  });

  it('replaceScene keeps columns of other programs', () => {
    const scenes = parseTable(
      'scenes',
      `${formatTable(three().scenes).split('\n')[0]},note\na,,,,,,,old,t,mine\n`,
      'f',
    );
    expect(indexed({ ...createEmptyStory(), scenes }, 'a', 'new').scenes.rows[0]).toMatchObject({
      note: 'mine',
      checksum: 'new',
    });
  });
});

describe('keeping in step with the book', () => {
  it('renameScene renames a scene in all tables', () => {
    const timeline = { ...createEmptyStory().timeline, rows: [timelineRow('a')] };
    const story = renameScene({ ...three(), timeline }, 'a', 'z');
    expect(JSON.stringify(story)).not.toContain('"a"');
    expect(story.scenes.rows.map(({ scene }) => scene)).toEqual(['z', 'b', 'c']);
    expect(story.locations.rows[0]?.first_scene).toBe('z');
    expect(story.timeline.rows[0]?.scene).toBe('z');
  });

  it('renameScene returns tables without the scene unchanged', () => {
    const story = three();
    const renamed = renameScene(story, 'nobody', 'z');
    for (const name of ['scenes', 'facts', 'scene_characters', 'locations', 'timeline'] as const)
      expect(renamed[name]).toBe(story[name]);
  });

  it('removeScene removes a scene and its own locations, but not the timeline', () => {
    const timeline = { ...createEmptyStory().timeline, rows: [timelineRow('b')] };
    const barn = { locations: [{ id: 'barn', name: 'Barn', type: 'other', description: '' }] };
    const story = removeScene(indexed({ ...three(), timeline }, 'b', 'b2', barn), 'b');
    expect(story.scenes.rows.map(({ scene }) => scene)).toEqual(['a', 'c']);
    expect(story.facts.rows.some(({ scene }) => scene === 'b')).toBe(false);
    expect(story.locations.rows.map(({ id }) => id)).toEqual(['mill']);
    expect(story.timeline.rows).toHaveLength(1);
  });

  it('retypeScene changes the type for an interlude, and back', () => {
    const there = retypeScene(three(), 'a', true);
    expect(there.scenes.rows[0]?.scene_type).toBe('interlude');
    expect(retypeScene(there, 'a', false).scenes.rows[0]?.scene_type).toBe('regular');
  });
});

function timelineRow(scene: string) {
  return { id: '1', date: '', time: '', event: '', detail: '', scene, location: '', notes: '' };
}
