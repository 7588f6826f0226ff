import { existsSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordScene } from '../../src/storydb/record-scene.ts';
import { createTestEntry } from '../stories.ts';
import { BOOK, createTestProject } from '../test-project.ts';

const minting = { newId: () => 'ID', indexedAt: 't' };

describe('nib scene', () => {
  it('nib sc add makes a scene from a title, with its file, and focuses it', async () => {
    using world = createTestProject();
    const { err } = await world.nib(['sc', 'add', '1', 'Über', 'allem', '--at', '2']);
    expect(err).toBe('Added scene 1.2, scenes/uber-allem.md. It is in focus.\n');
    expect((await world.nib('sc list -c 1')).out).toBe(
      '   1.1  dawn        scenes/dawn.md\n*  1.2  uber-allem  scenes/uber-allem.md\n   1.3  noon        scenes/noon.md\n',
    );
    expect(world.read('scenes/uber-allem.md')).toBe('');
    expect(JSON.parse(world.read('.nib/state.json'))).toEqual({ focus: { chapter: 1, scene: 'uber-allem' } });
  });

  it('nib sc add uses an existing file unchanged', async () => {
    using world = createTestProject({ 'scenes/old.md': 'prose' });
    expect((await world.nib('sc add 4 old')).err).toContain('whose file was there already');
    expect(world.read('scenes/old.md')).toBe('prose');
  });

  it('nib sc add uses the directory of the chapter', async () => {
    using world = createTestProject();
    await world.nib('sc add 3 reply');
    expect(existsSync(join(world.root, 'scenes/between/reply.md'))).toBe(true);
  });

  it.each([
    ['sc add 1 dawn', 'in the book already, as 1.1'],
    ['sc add 1 !', 'no letter or digit'],
    ['sc add 9 x', 'from 1 to 4'],
    ['sc add 1 x --at 9', 'from 1 to 3'],
    ['sc move 1.9 2', 'scenes 1 to 2'],
    ['sc move nobody 2', 'no scene "nobody"'],
    ['sc move 1.1 2.3', 'places 1 to 2'],
    ['sc move 1.1 1.3', 'places 1 to 2'],
    ['sc rename dawn noon', 'in the book already'],
    ['sc remove 2 dawn -y', 'Chapter 2 has no scene dawn'],
    ['sc focus nobody', 'no scene'],
    ['sc edit', 'No scene is in focus'],
  ])('nib %s is refused', async (line, why) => {
    using world = createTestProject();
    const { code, out, err } = await world.nib(line);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(why);
    expect(world.read('book.yaml')).toBe(BOOK);
  });

  it('nib sc move moves a scene with its file, its focus and its type', async () => {
    using world = createTestProject();
    await recordScene(world.root, createTestEntry('dawn', 'x'), minting);
    await world.nib('sc focus dawn');
    expect((await world.nib('sc move 1.1 3.1')).err).toBe('Moved scene 1.1 to 3.1.\n');
    expect(world.read('scenes/between/dawn.md')).toContain('The mill');
    expect((await world.nib('sc focus')).out).toBe('3.1 dawn\n');
    expect(world.read('storydb/scenes.csv')).toContain('dawn,ada,interlude');
    expect(world.read('book.yaml')).toContain('- dawn # opens the book');
    await world.nib('sc move dawn 1');
    expect((await world.nib('sc list -c 1')).out).toContain('1.2  dawn  scenes/dawn.md');
    expect(world.read('storydb/scenes.csv')).toContain('dawn,ada,regular');
  });

  it('nib sc move does not overwrite an existing file', async () => {
    using world = createTestProject({ 'scenes/between/dawn.md': 'other' });
    expect((await world.nib('sc move 1.1 3.1')).err).toContain('is there already');
    expect(world.read('scenes/between/dawn.md')).toBe('other');
    expect(world.read('book.yaml')).toBe(BOOK);
  });

  it('nib sc rename renames a scene in all files at once', async () => {
    using world = createTestProject();
    await recordScene(world.root, createTestEntry('dawn', 'x'), minting);
    await world.nib('sc focus 1.1');
    expect((await world.nib('sc rename dawn First Light')).err).toBe(
      'Renamed scene 1.1 from dawn to first-light.\n',
    );
    expect(existsSync(join(world.root, 'scenes/dawn.md'))).toBe(false);
    expect(world.read('scenes/first-light.md')).toContain('The mill');
    for (const name of ['scenes', 'facts', 'scene_characters', 'locations']) {
      expect(world.read(`storydb/${name}.csv`)).toContain('first-light');
      expect(world.read(`storydb/${name}.csv`)).not.toMatch(/^(\w+,)?dawn,|,dawn,t$/m);
    }
    expect((await world.nib('sc focus')).out).toBe('1.1 first-light\n');
    expect(world.read('book.yaml')).toContain('- first-light # opens the book');
  });

  it('nib sc remove asks, keeps the file in the trash, and removes the scene from the index', async () => {
    using world = createTestProject();
    await recordScene(world.root, createTestEntry('dawn', 'x'), minting);
    await world.nib('sc focus dawn');
    expect((await world.nib('sc rm dawn')).err).toContain('say --yes');
    expect((await world.nib('sc rm dawn', { typed: '' })).err).toContain('Nothing was changed');
    expect((await world.nib('sc rm 1 dawn', { typed: 'yes\n' })).err).toContain(
      'is kept as .nib/trash/20260102T030405-dawn.md',
    );
    expect(world.read('storydb/facts.csv').trim().split('\n')).toHaveLength(1);
    expect(JSON.parse(world.read('.nib/state.json'))).toEqual({});
    await world.nib('sc add 1 dawn');
    await world.nib('sc rm dawn -y');
    expect(readdirSync(join(world.root, '.nib/trash'))).toHaveLength(2);
  });

  it('nib sc remove keeps the file and index of a scene that is in the book twice', async () => {
    using world = createTestProject({ 'book.yaml': BOOK.replace('- dusk', '- dusk\n        - dawn') });
    await recordScene(world.root, createTestEntry('dawn', 'x'), minting);
    expect((await world.nib('sc edit dawn')).err).toContain('Say which: 1.1 and 2.2');
    expect((await world.nib('sc rename 1.1 x')).err).toContain('more than once');
    await world.nib('sc rm 2.2 -y');
    expect(existsSync(join(world.root, 'scenes/dawn.md'))).toBe(true);
    expect(world.read('storydb/scenes.csv')).toContain('dawn');
  });

  it('a scene whose file is a link out of the project is refused with its line', async () => {
    using world = createTestProject();
    symlinkSync('/etc/hostname', join(world.root, 'scenes/planned.md'));
    world.write('book.yaml', BOOK.replace('- noon', '- planned'));
    const { code, err } = await world.nib('ma status');
    expect(code).toBe(1);
    expect(err).toContain('book.yaml:9: the scene 1.2');
    expect(err).toContain('leads out of the project');
  });

  it('nib sc focus and unfocus show and clear the focus', async () => {
    using world = createTestProject({
      '.nib/state.json': '{"other": 1, "focus": {"chapter": 2, "scene": "gone"}}',
    });
    expect((await world.nib('sc focus')).err).toContain('no longer in chapter 2');
    await world.nib('sc unfocus');
    expect(JSON.parse(world.read('.nib/state.json'))).toEqual({ other: 1 });
    expect((await world.nib('sc focus')).err).toContain('No scene is in focus');
    for (const [state, why] of [
      ['{"focus": {"chapter": 9, "scene": "x"}}', 'Chapter 9, which is in focus, is gone'],
      ['{"focus": {"chapter": 1, "scene": ""}}', 'no scene of it'],
      ['{"focus": {"chapter": "1"}}', 'No scene is in focus'],
      ['not json', 'No scene is in focus'],
    ] as const) {
      world.write('.nib/state.json', state);
      expect((await world.nib('sc focus')).err).toContain(why);
    }
  });

  it('a scene in a folder of its chapter can be added, moved, renamed and removed', async () => {
    using world = createTestProject();
    expect((await world.nib('sc add 1 sub/b')).err).toContain('scenes/sub/b.md');
    world.write('scenes/sub/b.md', 'Words.\n');
    expect((await world.nib('sc list -c 1')).out).toContain('sub/b');
    expect((await world.nib('sc move sub/b 3')).code).toBe(0);
    expect(world.read('scenes/between/sub/b.md')).toBe('Words.\n');
    expect((await world.nib('sc rename sub/b other/c')).code).toBe(0);
    expect(world.read('scenes/between/other/c.md')).toBe('Words.\n');
    expect((await world.nib('ma search Words')).out).toBe('3.2:1: Words.\n');
    expect((await world.nib('sc remove other/c --yes')).code).toBe(0);
    world.write(
      'book.yaml',
      'title: A\n---\nbook:\n  base_dir: scenes\n  chapters:\n    - scenes: [a/../../../out]\n',
    );
    expect((await world.nib('sc list')).err).toContain('leads out of its directory');
  });
});
