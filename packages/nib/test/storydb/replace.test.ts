import { describe, expect, it } from 'vitest';
import { removeScene, renameScene, replaceScene, retypeScene } from '../../src/storydb/replace.ts';
import type { Story } from '../../src/storydb/story.ts';
import { formatTable, parseTable } from '../../src/storydb/table.ts';
import { createUlids } from '../../src/storydb/ulid.ts';
import { emptyStory, entryFor } from '../stories.ts';

const ids = createUlids(() => 0);
const minting = { newId: ids, indexedAt: '2026-01-02T03:04:05Z' };
const indexed = (story: Story, slug: string, mark: string, changes = {}): Story =>
  replaceScene(story, entryFor(slug, mark, changes), minting);
const three = (): Story =>
  ['a', 'b', 'c'].reduce((story, slug) => indexed(story, slug, `${slug}1`), emptyStory());

describe('replacing a scene', () => {
  it('writes all of it, with ids and the time', () => {
    const story = indexed(emptyStory(), 'a', 'x');
    expect(story.scenes.rows[0]).toMatchObject({ scene: 'a', checksum: 'x', indexed_at: minting.indexedAt });
    expect(story.facts.rows.map(({ scene }) => scene)).toEqual(['a', 'a']);
    expect(new Set(story.facts.rows.map(({ id }) => id)).size).toBe(2);
    expect(story.locations.rows).toMatchObject([{ id: 'mill', first_scene: 'a' }]);
  });

  it('again leaves one copy, in the place of the old', () => {
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

  it('keeps what another scene said of a location it introduced, and updates its own', () => {
    expect(indexed(three(), 'b', 'b2').locations.rows[0]?.description).toBe('a1');
    expect(indexed(three(), 'a', 'a2').locations.rows[0]?.description).toBe('a2');
  });

  it('hands a location over to another scene that plays there when it no longer names it', () => {
    expect(indexed(three(), 'a', 'a2', { locations: [] }).locations.rows).toMatchObject([
      { id: 'mill', first_scene: 'b' },
    ]);
  });

  it('knows a location without an id by its name', () => {
    const nameless = { locations: [{ id: '', name: 'the barn', type: 'other', description: '' }] };
    const once = indexed(emptyStory(), 'a', 'x', nameless);
    const twice = indexed(indexed(once, 'a', 'y', nameless), 'b', 'z', nameless);
    expect(twice.locations.rows).toHaveLength(1);
    expect(twice.locations.rows[0]?.id).toBe(once.locations.rows[0]?.id);
    expect(once.locations.rows[0]?.id).toHaveLength(26);
  });

  it('lists a character once', () => {
    const characters = [
      { character: 'ada', role: 'pov' },
      { character: 'ada', role: 'mentioned' },
    ];
    expect(indexed(emptyStory(), 'a', 'x', { characters }).scene_characters.rows).toMatchObject([
      { role: 'pov' },
    ]);
  });

  it('never lets a line break into a file', () => {
    const nasty = 'one\r\ntwo\nthree\u2028four, "five"';
    const entry = entryFor('a', 'x');
    const all = (row: Readonly<Record<string, string>>) =>
      Object.fromEntries(Object.keys(row).map((key) => [key, key === 'scene' ? 'a' : nasty])) as never;
    const story = replaceScene(
      emptyStory(),
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

  it('keeps columns that others have added', () => {
    const scenes = parseTable(
      'scenes',
      `${formatTable(three().scenes).split('\n')[0]},note\na,,,,,,,old,t,mine\n`,
      'f',
    );
    expect(indexed({ ...emptyStory(), scenes }, 'a', 'new').scenes.rows[0]).toMatchObject({
      note: 'mine',
      checksum: 'new',
    });
  });
});

describe('keeping in step with the book', () => {
  it('renames a scene wherever it is named', () => {
    const timeline = { ...emptyStory().timeline, rows: [timelineRow('a')] };
    const story = renameScene({ ...three(), timeline }, 'a', 'z');
    expect(JSON.stringify(story)).not.toContain('"a"');
    expect(story.scenes.rows.map(({ scene }) => scene)).toEqual(['z', 'b', 'c']);
    expect(story.locations.rows[0]?.first_scene).toBe('z');
    expect(story.timeline.rows[0]?.scene).toBe('z');
  });

  it('touches no table that does not name the scene', () => {
    const story = three();
    const renamed = renameScene(story, 'nobody', 'z');
    for (const name of ['scenes', 'facts', 'scene_characters', 'locations', 'timeline'] as const)
      expect(renamed[name]).toBe(story[name]);
  });

  it('forgets a removed scene, and the places only it knew, but not the timeline', () => {
    const timeline = { ...emptyStory().timeline, rows: [timelineRow('b')] };
    const barn = { locations: [{ id: 'barn', name: 'Barn', type: 'other', description: '' }] };
    const story = removeScene(indexed({ ...three(), timeline }, 'b', 'b2', barn), 'b');
    expect(story.scenes.rows.map(({ scene }) => scene)).toEqual(['a', 'c']);
    expect(story.facts.rows.some(({ scene }) => scene === 'b')).toBe(false);
    expect(story.locations.rows.map(({ id }) => id)).toEqual(['mill']);
    expect(story.timeline.rows).toHaveLength(1);
  });

  it('changes the type of a scene that goes into an interlude, and back', () => {
    const there = retypeScene(three(), 'a', true);
    expect(there.scenes.rows[0]?.scene_type).toBe('interlude');
    expect(retypeScene(there, 'a', false).scenes.rows[0]?.scene_type).toBe('regular');
  });
});

function timelineRow(scene: string) {
  return { id: '1', date: '', time: '', event: '', detail: '', scene, location: '', notes: '' };
}
