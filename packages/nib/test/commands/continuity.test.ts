import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordScene } from '../../src/storydb/record-scene.ts';
import { createTestEntry } from '../stories.ts';
import { createTestProject, type TestProject } from '../test-project.ts';

async function indexed(): Promise<TestProject> {
  const world = createTestProject();
  for (const slug of ['dusk', 'dawn', 'noon']) {
    await recordScene(world.root, createTestEntry(slug, `m-${slug}`), { newId: () => 'ID', indexedAt: 't' });
  }
  return world;
}

describe('nib continuity', () => {
  it('nib ct recap recaps chapters and scenes, up to --through', async () => {
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

  it('--pretty indents JSON before or after the command', async () => {
    using world = await indexed();
    for (const line of ['--pretty ct recap 1', 'ct recap 1 --pretty', 'ct --pretty recap 1']) {
      expect((await world.nib(line)).out).toContain('{\n  "chapters"');
    }
  });

  it('nib ct recap filters by any of several characters', async () => {
    using world = await indexed();
    const { out } = await world.nib('ct recap 1-2 -c m-noon -c m-dusk');
    expect(
      JSON.parse(out).chapters.map((one: { scenes: { position: number }[] }) => one.scenes[0]?.position),
    ).toEqual([2, 1]);
    expect((await world.nib('ct recap 1 -c nobody')).err).toContain(
      'No indexed scene has the character nobody',
    );
  });

  it('nib ct characters and chapters list JSON, also an empty list', async () => {
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

  it('nib ct reset empties the index after a question and keeps the old files', async () => {
    using world = await indexed();
    expect((await world.nib('ct reset')).code).toBe(1);
    expect((await world.nib('ct characters')).out).toBe('["ada"]\n');
    expect((await world.nib('ct reset --yes')).code).toBe(0);
    expect((await world.nib('ct characters')).out).toBe('[]\n');
    expect(readdirSync(join(world.root, '.nib/trash'))).toHaveLength(4);
  });

  it('a broken row is reported with file and line, and nib ct reset repairs it', async () => {
    using world = await indexed();
    world.write('storydb/facts.csv', `${world.read('storydb/facts.csv')}torn,row\n`);
    const { code, out, err } = await world.nib('ct recap 1');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^error: storydb\/facts\.csv:8: this line has 2 fields/);
    expect((await world.nib('ct reset -y')).code).toBe(0);
    expect((await world.nib('ct recap 1')).code).toBe(0);
  });
});
