import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { StopSignal } from '../../src/env.ts';
import { EXTRACTION_SCHEMA } from '../../src/indexing/extraction-schema.ts';
import { readStory } from '../../src/storydb/story.ts';
import { createBackendProject } from '../backend-project.ts';
import { createIndexScript, FOUND } from '../index-script.ts';

const indexed = (root: string): string[] => readStory(root).scenes.rows.map(({ scene }) => scene);

/** A line of a script that fails when the request is for one of the scenes. */
const failFor = (slug: string): string =>
  `case "$request" in *"The scene is ${slug} "*) echo "cannot read ${slug}" >&2; exit 1;; esac`;

describe.concurrent('nib ct index', () => {
  it('nib ct index stores the data, and sends the request of the protocol', async () => {
    using staged = createBackendProject(createIndexScript(), { 'characters/ada.yaml': 'name: Ada\n' });
    const { code, out, err } = await staged.nib('ct index 1.1 --yes');
    expect({ code, out, err }).toEqual({
      code: 0,
      out: '1 scene indexed: 2 facts, 2 characters, 1 location.\n',
      err: '1.1 dawn: 2 facts, 2 characters, 1 location\n',
    });
    const story = readStory(staged.root);
    expect(story.scenes.rows).toMatchObject([
      { scene: 'dawn', pov: 'ada', scene_type: 'regular', indexed_at: '2026-01-02T03:04:05Z' },
    ]);
    expect(story.scenes.rows[0]?.checksum).toMatch(/^[0-9a-f]{64}$/);
    expect(story.facts.rows.map(({ id }) => id.length)).toEqual([26, 26]);
    expect(story.locations.rows).toMatchObject([{ id: 'the-mill', first_scene: 'dawn' }]);
    const [request] = staged.got();
    expect(Object.keys(request ?? {})).toEqual(['operation', 'dir', 'context', 'schema', 'effort']);
    expect(request?.schema).toEqual(EXTRACTION_SCHEMA);
    expect(request?.context).toContain('Known people: ada');
  });

  it('nib ct index skips unchanged scenes, unless --force is given', async () => {
    using staged = createBackendProject(createIndexScript());
    expect((await staged.nib('ct ix 1-3 --yes')).code).toBe(0);
    const again = await staged.nib('ct ix 1-3');
    expect(again).toEqual({
      code: 0,
      out: '0 scenes indexed, 4 unchanged: 0 facts, 0 characters, 0 locations.\n',
      err: '',
    });
    staged.write('scenes/noon.md', 'Noon came late.\n');
    expect((await staged.nib('ct ix 1-3 --yes')).out).toContain('1 scene indexed, 3 unchanged');
    expect((await staged.nib('ct ix 1-3 --yes --force')).out).toContain('4 scenes indexed: ');
    expect(readStory(staged.root).locations.rows).toHaveLength(1);
    expect(indexed(staged.root)).toEqual(['dawn', 'noon', 'dusk', 'letter']);
  });

  it('nib ct index without a terminal wants --yes before it asks the backend', async () => {
    using staged = createBackendProject(createIndexScript());
    const { code, err } = await staged.nib('ct index 1');
    expect(code).toBe(1);
    expect(err).toBe(
      'error: 2 scenes would have to be reviewed, and nobody can be asked here: say --yes to store what the backend finds.\n',
    );
    expect(staged.got()).toEqual([]);
  });

  it('nib ct index takes the scene in focus without a range', async () => {
    using staged = createBackendProject(createIndexScript());
    expect((await staged.nib('ct index --yes')).err).toContain('No scene is in focus');
    await staged.nib('sc focus 2.1');
    expect((await staged.nib('ct index --yes')).code).toBe(0);
    expect(indexed(staged.root)).toEqual(['dusk']);
  });

  it('nib ct index repeats a request with the errors of invalid data', async () => {
    const wrong = JSON.stringify({ ...FOUND, facts: [{}] });
    const script = `case "$request" in *"did not keep to the schema"*) ;; *) printf '%s' '{"type":"success","operation":"continuity-index","data":${wrong}}'; exit;; esac`;
    using staged = createBackendProject(createIndexScript(FOUND, script));
    expect((await staged.nib('ct index 1.1 --yes')).code).toBe(0);
    const [first, second] = staged.got();
    expect(first?.context).not.toContain('facts.0');
    expect(second?.context).toContain("- facts.0 must have required property 'category'");
  });

  it.each([
    ['null', null, 'no `data` object'],
    ['a list', [], 'no `data` object'],
    ['an empty object', {}, "the answer must have required property 'scene'"],
    ['an unknown kind', { ...FOUND, scene: { ...FOUND.scene, scene_type: 'x' } }, 'scene.scene_type must be'],
    [
      'a wrong leaf',
      { ...FOUND, locations: [{ ...FOUND.locations[0], name: 3 }] },
      'locations.0.name must be',
    ],
  ])('nib ct index stores no data of a scene whose data is %s', async (_what, data, words) => {
    using staged = createBackendProject(createIndexScript(data));
    const { code, err } = await staged.nib('ct index 1.1 --yes');
    expect(code).toBe(1);
    expect(err).toContain('1.1 dawn: failed: ');
    expect(err).toContain(words);
    expect(staged.got()).toHaveLength(2);
    expect(indexed(staged.root)).toEqual([]);
  });

  it('nib ct index continues after a failed scene, and reports it at the end', async () => {
    using staged = createBackendProject(createIndexScript(FOUND, failFor('noon')), {
      'scenes/dusk.md': ' \n\uFEFF\n',
    });
    staged.write('book.yaml', staged.read('book.yaml').replace('- letter', '- letter\n        - unwritten'));
    const { code, out, err } = await staged.nib('ct index 1-3 --yes');
    expect(code).toBe(1);
    expect(out).toMatch(/^2 scenes indexed, 3 failed: /);
    expect(err).toContain('1.2 noon: failed: nib-agent-fake failed: cannot read noon\n');
    expect(err).toContain('2.1 dusk: scenes/dusk.md is empty.');
    expect(err).toContain('3.2 unwritten: there is no file scenes/between/unwritten.md.');
    expect(err).toContain('error: 3 scenes could not be indexed');
    expect(indexed(staged.root)).toEqual(['dawn', 'letter']);
    expect(readStory(staged.root).scenes.rows[1]?.scene_type).toBe('interlude');
  });

  it('nib ct index escapes newlines, quotes and commas in its files', async () => {
    const mean = 'one\n"two", \r\nthree\u2028';
    const every = <T extends object>(record: T, except: readonly string[]): T =>
      Object.fromEntries(
        Object.entries(record).map(([key, value]) => [key, except.includes(key) ? value : mean]),
      ) as T;
    const data = {
      scene: every(FOUND.scene, ['scene_type']),
      facts: FOUND.facts.map((fact) => every(fact, ['category'])),
      characters: [{ character: mean, role: 'pov' }],
      locations: FOUND.locations.map((place) => every(place, ['type'])),
    };
    using staged = createBackendProject(createIndexScript(data));
    expect((await staged.nib('ct index 1 --yes')).code).toBe(0);
    const { scenes, facts, locations } = readStory(staged.root);
    expect(scenes.rows[0]).toMatchObject({ pov: 'one-two-three', summary: 'one "two", three' });
    expect(facts.rows).toHaveLength(4);
    expect(locations.rows).toMatchObject([{ id: 'one-two-three', name: 'one "two", three' }]);
    expect(staged.read('storydb/scenes.csv').trimEnd().split('\n')).toHaveLength(3);
  });

  it('nib ct index labels the stderr of several backends, and --verbose shows the contexts', async () => {
    using staged = createBackendProject(createIndexScript(FOUND, 'printf "loading\\nhalf" >&2'));
    const { err } = await staged.nib('ct index 1 --yes -v');
    expect(err).toContain('[1.1] loading\n');
    expect(err).toContain('[1.2] half\n');
    expect(err).toMatch(/^--- 1\.2 noon: \d+ characters\nYou keep the continuity notes/m);
  });

  it('nib ct index continues after a failed write', async () => {
    using staged = createBackendProject(createIndexScript());
    mkdirSync(join(staged.root, 'storydb/facts.csv'), { recursive: true });
    const { code, err } = await staged.nib('ct index 1 --yes');
    expect(code).toBe(1);
    expect(err).toContain('facts.csv is a directory');
  });

  it.each(['0', 'x', '65', '-1'])('nib ct index refuses %s jobs', async (jobs) => {
    using staged = createBackendProject(createIndexScript());
    expect((await staged.nib(['ct', 'index', '1', '--yes', '--jobs', jobs])).code).toBe(1);
    expect(staged.got()).toEqual([]);
  });

  it('nib ct index keeps stored scenes when it is interrupted', async () => {
    const script = 'case "$request" in *"The scene is dawn "*) ;; *) sleep 600;; esac';
    using staged = createBackendProject(createIndexScript(FOUND, script));
    let stop: ((signal: StopSignal) => void) | undefined;
    const running = staged.nib('ct index 1-3 --yes', {
      onStop: (listener) => {
        stop = listener;
        return () => {};
      },
    });
    await until(() => existsSync(join(staged.root, 'storydb/scenes.csv')), 'the first scene is stored');
    await until(() => indexed(staged.root).length === 1, 'the first scene is stored');
    stop?.('SIGINT');
    const { code, err } = await running;
    expect(code).toBe(130);
    expect(err).not.toContain('failed');
    expect(indexed(staged.root)).toEqual(['dawn']);
    expect(readdirSync(join(staged.root, 'storydb')).filter((name) => name.includes('nib-new'))).toEqual([]);
  });
});
