import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTestProject } from '../test-project.ts';

describe('nib chapter', () => {
  it('nib ch list shows the headings of all commands', async () => {
    using world = createTestProject();
    expect((await world.nib('ch list')).out).toBe(
      '1  Chapter One  2 scenes\n2  The Ferry    1 scene\n3  Interlude    1 scene\n4  Planned      0 scenes\n',
    );
    const listed = JSON.parse((await world.nib('chapter ls --json')).out);
    const contents = JSON.parse((await world.nib('ma toc --json')).out).chapters;
    expect(listed.map((one: { heading: string }) => one.heading)).toEqual(
      contents.map((one: { heading: string }) => one.heading),
    );
  });

  it('nib ch add inserts a chapter at --at', async () => {
    using world = createTestProject();
    expect(await world.nib(['ch', 'add', '--name', 'Null', '--at', '2'])).toMatchObject({
      code: 0,
      out: '',
      err: 'Added chapter 2, Null.\n',
    });
    await world.nib('ch add -i');
    expect((await world.nib('ch list')).out.split('\n').map((line) => line.slice(3, 14).trim())).toEqual([
      'Chapter One',
      'Null',
      'The Ferry',
      'Interlude',
      'Planned',
      'Interlude',
      '',
    ]);
    expect(world.read('book.yaml')).toContain('- dawn # opens the book');
  });

  it('nib ch add takes the name with or without --name, but not both', async () => {
    using world = createTestProject();
    const { err } = await world.nib('ch add Die Überfahrt --at 1');
    expect(err).toBe('Added chapter 1, Die Überfahrt.\n');
    const { code, err: refusal } = await world.nib('ch add One --name Two');
    expect({ code, refusal }).toMatchObject({ code: 1, refusal: expect.stringContaining('given twice') });
    expect((await world.nib('ch list')).out.trim().split('\n')).toHaveLength(5);
  });

  it.each(['sc add 1 opening', 'ch name 1 New', 'ch move 1 2', 'ch remove 1', 'sc list -c 1'])(
    'says to nib %s that a book without chapters needs one first',
    async (line) => {
      using world = createTestProject({ 'book.yaml': 'title: New\n---\nbook:\n  base_dir: scenes\n' });
      expect(await world.nib(line)).toMatchObject({
        code: 1,
        err: 'error: The book has no chapters yet. Add one with nib ch add.\n',
      });
    },
  );

  it('nib ch move moves a chapter, and the focus with its scene', async () => {
    using world = createTestProject();
    await world.nib('sc focus dusk');
    await world.nib('ch move 2 1');
    expect((await world.nib('sc focus')).out).toBe('1.1 dusk\n');
  });

  it('nib ch name sets and clears a name', async () => {
    using world = createTestProject();
    expect((await world.nib('ch name 1 The Mill')).err).toBe('Chapter 1 is now The Mill.\n');
    expect((await world.nib('ch name 1 --clear')).err).toBe('Chapter 1 is now Chapter One.\n');
    expect((await world.nib('ch name 1')).code).toBe(1);
  });

  it('nib ch remove keeps the files of the scenes in the trash', async () => {
    using world = createTestProject();
    expect(await world.nib('ch remove 1')).toMatchObject({ code: 1, out: '' });
    expect((await world.nib('ch remove 1', { typed: 'n\n' })).err).toContain('Nothing was changed');
    expect(existsSync(join(world.root, 'scenes/dawn.md'))).toBe(true);
    expect((await world.nib('ch remove 1', { typed: 'y\n' })).code).toBe(0);
    expect(existsSync(join(world.root, 'scenes/dawn.md'))).toBe(false);
    expect(readdirSync(join(world.root, '.nib/trash'))).toEqual([
      '20260102T030405-dawn.md',
      '20260102T030405-noon.md',
    ]);
    expect((await world.nib('ch remove 3')).code).toBe(0);
  });

  it.each(['ch move 9 1', 'ch move 1 0', 'ch move 1 x', 'ch add --at 6', 'ch remove 99 -y', 'ch name 7 X'])(
    'refuses nib %s and changes nothing',
    async (line) => {
      using world = createTestProject();
      const before = world.read('book.yaml');
      const { code, out, err } = await world.nib(line);
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toMatch(/^error: .+ give a number from 1 to \d\.\n$/);
      expect(world.read('book.yaml')).toBe(before);
    },
  );
});
