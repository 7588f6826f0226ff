import { describe, expect, it } from 'vitest';
import { readStory } from '../../src/storydb/story.ts';
import { createBackendProject } from '../backend-project.ts';
import { createIndexScript } from '../index-script.ts';

/** Reviews a range with typed keys; returns a short form of the stored records. */
async function reviewed(typed: string, range = '1.1', script = createIndexScript(), editor = 'false') {
  using staged = createBackendProject(script);
  const said = await staged.nib(`ct index ${range}`, { typed, variables: { EDITOR: editor } });
  const { scenes, facts, scene_characters, locations } = readStory(staged.root);
  const stored = {
    scenes: scenes.rows.map(({ scene }) => scene),
    facts: facts.rows.map(({ summary }) => summary),
    characters: scene_characters.rows.map(({ character }) => character),
    locations: locations.rows.map(({ id }) => id),
  };
  return { ...said, stored };
}

const ALL = {
  scenes: ['dawn'],
  facts: ['Ada has grey eyes.', 'The mill stands still.'],
  characters: ['ada', 'bo'],
  locations: ['the-mill'],
};
const NOTHING = { scenes: [], facts: [], characters: [], locations: [] };

describe('a review', () => {
  it('a review shows each record and stores the accepted ones', async () => {
    const { code, err, stored } = await reviewed('aaaaaa');
    expect({ code, stored }).toEqual({ code: 0, stored: ALL });
    expect(err).toContain('1.1 dawn: 6 records to look at.');
    expect(err).toContain('Fact\n  category: description\n  summary: Ada has grey eyes.\n');
    expect(err.match(/\[a\]ccept/g)).toHaveLength(6);
  });

  it('a review accepts the rest of a scene with A', async () => {
    expect((await reviewed('aA')).stored).toEqual(ALL);
    expect((await reviewed('arA')).stored).toEqual({ ...ALL, facts: ['The mill stands still.'] });
  });

  it('a review does not store rejected records', async () => {
    expect((await reviewed('arrrar')).stored).toEqual({
      scenes: ['dawn'],
      facts: [],
      characters: ['bo'],
      locations: [],
    });
  });

  it.each([
    ['the scene itself is rejected', 'r', 0],
    ['the scene is skipped', 'aas', 0],
    ['the person quits', 'aaq', 0],
    ['the input ends', '', 130],
    ['the input ends half way', 'aaaaa', 130],
    ['Ctrl-C is pressed', 'aa\u0003', 130],
    ['Ctrl-D is pressed', '\u0004', 130],
    ['other keys are pressed and the input ends', ' \r\nyx\u001B', 130],
  ])('a review stores no record of the scene when %s', async (_what, typed, code) => {
    const said = await reviewed(typed);
    expect({ code: said.code, stored: said.stored }).toEqual({ code, stored: NOTHING });
  });

  it('a review takes several scenes in the order of the story', async () => {
    const slowFirst = 'case "$request" in *"The scene is dawn "*) sleep 0.2;; esac';
    const said = await reviewed('AsAq', '1-3', createIndexScript(undefined, slowFirst));
    expect(said.stored.scenes).toEqual(['dawn', 'dusk']);
    expect(said.out).toMatch(/^2 scenes indexed, 1 skipped: /);
    expect(said.err).toContain('Stopped, with 1 scene to go.');
    expect(said.code).toBe(0);
  });

  it('a review shows an edited record again before it is accepted', async () => {
    const editor = `sed -i s/grey/green/`;
    const { err, stored } = await reviewed('aeaA', '1.1', createIndexScript(), editor);
    expect(stored.facts).toEqual(['Ada has green eyes.', 'The mill stands still.']);
    expect(err).toContain('summary: Ada has green eyes.');
  });

  it('a review refuses an edit that breaks the schema, and keeps its text', async () => {
    const editor = `sh -c 'case $(cat "$1") in *regular*) sed -i s/regular/dream/ "$1";; *dream*) sed -i s/dream/document/ "$1";; esac' sh`;
    const { err, stored } = await reviewed('eeaA', '1.1', createIndexScript(), editor);
    expect(err).toContain(
      'It cannot be taken like that: scene_type must be one of regular, interlude, document.',
    );
    expect(stored.scenes).toEqual(['dawn']);
    expect(err).toContain('scene_type: document');
  });

  it('a review drops unknown fields of an edit', async () => {
    const editor = `sed -i 's/^{/{ "own": 5, "more": "x",/'`;
    const { code, stored } = await reviewed('aeA', '1.1', createIndexScript(), editor);
    expect({ code, stored }).toEqual({ code: 0, stored: ALL });
  });

  it('a review continues when the editor fails or its text is no JSON', async () => {
    expect((await reviewed('eA')).err).toContain('The editor false ended with code 1.');
    expect((await reviewed('eA')).stored).toEqual(ALL);
    const { err } = await reviewed('eA', '1.1', createIndexScript(), `sh -c 'echo { > "$1"' sh`);
    expect(err).toContain('this is not JSON');
  });

  it('a review holds back the stderr of backends', async () => {
    const { err } = await reviewed('AA', '1', createIndexScript(undefined, 'echo words >&2'));
    expect(err).toContain('[1.2] words\n');
  });
});
