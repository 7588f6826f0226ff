import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { listCharacters, readCharacter, requireCharacter } from '../../src/project/character.ts';

function projectWith(profiles: Readonly<Record<string, string>>) {
  const directory = temporaryDirectory();
  mkdirSync(join(directory.path, 'characters'));
  for (const [name, text] of Object.entries(profiles))
    writeFileSync(join(directory.path, 'characters', name), text);
  return directory;
}

describe('a profile', () => {
  it.each([
    ['---\nname: Ada Byron\nage: 30\n---\n', 'Ada Byron'],
    ['---\nname: Ada\n---\nname: Other\n---\n', 'Ada'],
    ['name: 42\n', '42'],
    ['name: 007\n', '007'],
    ['name: |\n  Two\n  Lines\n', 'Two Lines'],
    ['name: ""\n', 'ada'],
    ['name:\n', 'ada'],
    ['name: ~\n', 'ada'],
    ['name: [a, b]\n', 'ada'],
    ['age: 3\n', 'ada'],
    ['name: [\n', 'ada'],
    ['- a\n', 'ada'],
    ['', 'ada'],
  ])('the profile %j has the name %j', (text, name) => {
    using directory = projectWith({ 'ada.yaml': text });
    expect(readCharacter(directory.path, 'ada')).toEqual({
      slug: 'ada',
      name,
      path: 'characters/ada.yaml',
      text,
    });
  });

  it('a profile is found by .yaml and a plain slug alone', () => {
    using directory = projectWith({
      'b.yaml': '',
      'a-2.yaml': '',
      'c.yml': '',
      'D.yaml': '',
      'x y.yaml': '',
    });
    expect(listCharacters(directory.path)).toEqual(['a-2', 'b']);
  });

  it('a missing profile is reported by its path', () => {
    using directory = temporaryDirectory();
    expect(listCharacters(directory.path)).toEqual([]);
    expect(readCharacter(directory.path, 'ada')).toBeUndefined();
    expect(() => requireCharacter(directory.path, 'ada')).toThrow('nib pr add ada');
    expect(() => requireCharacter(directory.path, '../ada')).toThrow('cannot name a character');
  });

  it('a profile is not read through a link out of the project', () => {
    using directory = projectWith({});
    symlinkSync('/etc/hostname', join(directory.path, 'characters', 'ada.yaml'));
    expect(() => readCharacter(directory.path, 'ada')).toThrow('leads out of the project');
  });
});
