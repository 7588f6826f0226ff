import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTestProject } from '../test-project.ts';

describe('nib profile', () => {
  it('nib pr add makes a profile from a slug or a name', async () => {
    using world = createTestProject();
    await world.nib('pr add ada-byron');
    await world.nib(['pr', 'add', 'José "Pepe"', 'Núñez']);
    await world.nib('pr add Ада --slug ada');
    expect((await world.nib('pr list')).out).toBe(
      'ada\tАда\nada-byron\tada-byron\njose-pepe-nunez\tJosé "Pepe" Núñez\n',
    );
    expect(world.read('characters/ada-byron.yaml')).toMatch(
      /^---\nname: ""\n[\s\S]*\nrelationships: \{\}\n---\n$/,
    );
  });

  it.each([
    ['pr add Ада', 'Say one with --slug'],
    ['pr add x --slug ../x', 'cannot name a character'],
    ['pr edit nobody', 'nib pr add nobody'],
    ['pr remove ../../x -y', 'cannot name a character'],
  ])('nib %s is refused', async (line, why) => {
    using world = createTestProject();
    expect((await world.nib(line)).err).toContain(why);
  });

  it('nib pr add keeps an existing profile, and remove keeps it in the trash', async () => {
    using world = createTestProject({ 'characters/ada.yaml': 'name: Ada\n' });
    expect((await world.nib('pr add ada')).err).toContain('is there already');
    expect((await world.nib('pr rm ada')).code).toBe(1);
    expect((await world.nib('pr rm ada --yes')).code).toBe(0);
    expect(existsSync(join(world.root, 'characters/ada.yaml'))).toBe(false);
    expect(world.read('.nib/trash/20260102T030405-ada.yaml')).toBe('name: Ada\n');
  });
});
