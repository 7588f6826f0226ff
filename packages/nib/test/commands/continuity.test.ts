import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordScene } from '../../src/storydb/record.ts';
import { entryFor } from '../stories.ts';
import { type World, worldWith } from '../world.ts';

async function indexed(): Promise<World> {
  const world = worldWith();
  for (const slug of ['dusk', 'dawn', 'noon']) {
    await recordScene(world.root, entryFor(slug, `m-${slug}`), { newId: () => 'ID', indexedAt: 't' });
  }
  return world;
}

describe('nib continuity', () => {
  it('recaps chapters, scenes, and nothing past a cut', async () => {
    using world = await indexed();
    const { out, err } = await world.nib('ct recap 1-3');
    expect(out.trimEnd()).not.toContain('\n');
    expect(JSON.parse(out).chapters).toHaveLength(3);
    expect(err).toBe('Not indexed yet: 3.1.\n');
    const cut = (await world.nib('ct recap 1-2 --detailed --through 1.1')).out;
    expect(cut).toContain('m-dawn');
    expect(cut).not.toContain('noon');
    expect(JSON.parse((await world.nib('ct recap 1.2-2.1')).out).chapters[0].scenes[0].position).toBe(2);
  });

  it('indents JSON when asked, before or after the command', async () => {
    using world = await indexed();
    for (const line of ['--pretty ct recap 1', 'ct recap 1 --pretty', 'ct --pretty recap 1']) {
      expect((await world.nib(line)).out).toContain('{\n  "chapters"');
    }
  });

  it('filters by several characters, any of them', async () => {
    using world = await indexed();
    const { out } = await world.nib('ct recap 1-2 -c m-noon -c m-dusk');
    expect(
      JSON.parse(out).chapters.map((one: { scenes: { position: number }[] }) => one.scenes[0]?.position),
    ).toEqual([2, 1]);
    expect((await world.nib('ct recap 1 -c nobody')).err).toContain(
      'No indexed scene has the character nobody',
    );
  });

  it('lists characters and their scenes, and an empty list for none', async () => {
    using world = await indexed();
    expect((await world.nib('ct characters')).out).toBe('["ada"]\n');
    expect((await world.nib('ct characters 1.1 --all')).out).toBe('["ada","m-dawn"]\n');
    expect((await world.nib('ct characters 3')).out).toBe('[]\n');
    expect((await world.nib('ct chapters ada')).out).toBe('["1.1","1.2","2.1"]\n');
    expect((await world.nib('ct chapters ada nobody')).out).toBe('[]\n');
    expect((await world.nib('ct chapters ada nobody --or')).out).toBe(
      '{"ada":["1.1","1.2","2.1"],"nobody":[]}\n',
    );
  });

  it('empties the index after asking and keeps what it had', async () => {
    using world = await indexed();
    expect((await world.nib('ct reset')).code).toBe(1);
    expect((await world.nib('ct characters')).out).toBe('["ada"]\n');
    expect((await world.nib('ct reset --yes')).code).toBe(0);
    expect((await world.nib('ct characters')).out).toBe('[]\n');
    expect(readdirSync(join(world.root, '.nib/trash'))).toHaveLength(4);
  });

  it('names the file and line of a broken row, and can be started over', async () => {
    using world = await indexed();
    world.write('storydb/facts.csv', `${world.read('storydb/facts.csv')}torn,row\n`);
    const { code, out, err } = await world.nib('ct recap 1');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^error: storydb\/facts\.csv:8: this line has 2 fields/);
    expect((await world.nib('ct reset -y')).code).toBe(0);
    expect((await world.nib('ct recap 1')).code).toBe(0);
  });
});
