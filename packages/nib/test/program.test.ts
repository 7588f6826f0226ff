import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { createTestProject } from './test-project.ts';

describe('the program', () => {
  it.each(['nonsense', 'ma nonsense', 'ct proof-read'])('nib %s exits with 3', async (line) => {
    using world = createTestProject();
    const { code, out, err } = await world.nib(line);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toMatch(/^error: unknown command/);
  });

  it.each(['ct recap', 'ct recap 1 2', 'ma toc --nonsense', 'ch move 1'])(
    'ends nib %s with 1 and shows how it is used',
    async (line) => {
      using world = createTestProject();
      const { code, out, err } = await world.nib(line);
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toMatch(/^error: [\s\S]*Usage: nib [\s\S]*Example/);
    },
  );

  it('every help text has examples', async () => {
    using world = createTestProject();
    const seen: string[] = [];
    const visit = async (words: readonly string[]): Promise<void> => {
      const { code, out } = await world.nib([...words, '--help']);
      expect(code).toBe(0);
      expect(out, words.join(' ')).toMatch(/Examples?:\n {2}\S*.*nib/);
      seen.push(words.join(' '));
      const commands = /Commands:\n([\s\S]*?)\n\n/.exec(`${out}\n\n`)?.[1] ?? '';
      for (const [, name = ''] of commands.matchAll(/^ {2}(\w+)/gm))
        if (name !== 'help') await visit([...words, name]);
    };
    await visit([]);
    expect(seen.length).toBeGreaterThan(28);
  });

  it('nib works below the root, through a link, and in a path with spaces and non-ASCII letters', async () => {
    using world = createTestProject();
    using other = temporaryDirectory();
    const link = join(other.path, 'my büch');
    symlinkSync(world.root, link);
    mkdirSync(join(world.root, 'a b', 'ç'), { recursive: true });
    const { out, code } = await world.nib('ma build', { cwd: join(link, 'a b', 'ç') });
    expect({ code, out }).toEqual({ code: 0, out: `${link}/build/manuscript.md\n` });
    expect((await world.nib('sc rename 1.1 x', { cwd: link })).code).toBe(0);
  });

  it('nib reports where it looked without a project', async () => {
    using world = createTestProject();
    using other = temporaryDirectory();
    expect(await world.nib('ma toc', { cwd: other.path })).toEqual({
      code: 1,
      out: '',
      err: `error: There is no book.yaml in ${other.path} or above it. Go to a project's directory, or make one with nib init NAME.\n`,
    });
  });

  it('nib finishes an interrupted change before it reads', async () => {
    const step = { from: '.book.yaml.nib-new', to: 'book.yaml', staged: true };
    using world = createTestProject({
      '.book.yaml.nib-new': 'title: New\n---\nbook:\n',
      '.nib/journal.json': JSON.stringify({ phase: 'renaming', steps: [step] }),
    });
    expect((await world.nib('ma toc')).out).toBe('New\n\n');
  });
});
