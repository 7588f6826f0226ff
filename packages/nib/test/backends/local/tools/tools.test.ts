import { chmodSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEditTool, replaceOnce } from '../../../../src/backends/local/tools/edit.ts';
import { createGlobTool } from '../../../../src/backends/local/tools/glob.ts';
import { createGrepTool } from '../../../../src/backends/local/tools/grep.ts';
import { resolveProjectFile } from '../../../../src/backends/local/tools/project-file.ts';
import { createReadTool } from '../../../../src/backends/local/tools/read.ts';
import { createRecapTool } from '../../../../src/backends/local/tools/recap.ts';
import { novel } from '../../start-program.ts';

const { signal } = new AbortController();

describe('a place', () => {
  it('a project file is found by relative and absolute paths, also with ..', () => {
    using place = novel();
    const names = ['scenes/dawn.md', join(place.root, 'scenes/dawn.md'), 'characters/../scenes/dawn.md'];
    expect(names.map((path) => resolveProjectFile(place.root, path).name)).toEqual(
      Array(3).fill('scenes/dawn.md'),
    );
  });

  it.each([
    ['../other.md', /outside the project/],
    ['/etc/passwd', /outside the project/],
    ['scenes/way-out/other.md', /outside the project/],
    ['scenes/nothing.md', /There is no file/],
    ['', /A path is missing/],
    ['scenes/a\0.md', /A path is missing/],
    ['scenes/tool.sh', /no text file/],
    ['scenes/large.md', /too large/],
    ['.git/notes.md', /is hidden/],
    ['scenes', /is a directory/],
  ])('%j is no usable project file', (path, message) => {
    using place = novel();
    place.write('other.md', 'x');
    place.write('book/scenes/tool.sh', 'x');
    place.write('book/.git/notes.md', 'x');
    place.write('book/scenes/large.md', 'x'.repeat(3_000_000));
    symlinkSync(join(place.root, '..'), join(place.root, 'scenes/way-out'));
    expect(() => resolveProjectFile(place.root, path)).toThrow(message);
  });
});

describe('reading', () => {
  it('the read tool continues a long file at from_line', () => {
    using place = novel();
    place.write('book/long.md', Array.from({ length: 30_000 }, (_, at) => `line ${at + 1}`).join('\n'));
    const tool = createReadTool(place.root);
    const first = String(tool.run({ path: 'long.md' }, signal));
    const next = /from_line (\d+)/.exec(first)?.[1] ?? '';
    expect(first).toMatch(/^line 1\nline 2\n/);
    expect(tool.run({ path: 'long.md', from_line: next }, signal)).toMatch(new RegExp(`^line ${next}\n`));
    expect(tool.run({ path: 'long.md', from_line: 30_001 }, signal)).toBe('(The file has only 30000 lines.)');
  });

  it('the read tool cuts a line that is longer than an answer', () => {
    using place = novel();
    place.write('book/line.md', 'x'.repeat(200_000));
    const answer = String(createReadTool(place.root).run({ path: 'line.md' }, signal));
    expect(answer).toBe(`${'x'.repeat(120_000)}…`);
  });

  it('the grep tool shows a hundred hits, and counts the others', async () => {
    using place = novel();
    place.write('book/many.md', 'needle\n'.repeat(150));
    const answer = String(await createGrepTool(place.root).run({ text: 'needle' }, signal));
    expect(answer.split('\n').filter((line) => line.startsWith('many.md:'))).toHaveLength(100);
    expect(answer).toContain('(50 more. Look for something rarer.)');
  });

  it('the read tool reports an empty file', () => {
    using place = novel();
    place.write('book/empty.md', '');
    expect(createReadTool(place.root).run({ path: 'empty.md' }, signal)).toBe('(The file is empty.)');
  });
});

describe('correcting', () => {
  it.each([
    ['a b a', 'a', 'c', /more than once/],
    ['a b', 'x', 'y', /does not stand/],
    ['a b', '', 'y', /is empty/],
    ['a b', 'a', 'a', /are the same/],
  ])('in %j the edit tool refuses to replace %j by %j', (text, before, after, message) => {
    expect(() => replaceOnce(text, before, after)).toThrow(message);
  });

  it('the edit tool replaces literally, and keeps the line ends of the file', () => {
    expect(replaceOnce('say $1 now', '$1', '$&')).toBe('say $& now');
    expect(replaceOnce('one\r\ntwo\r\n', 'one\ntwo', 'one\n2')).toBe('one\r\n2\r\n');
  });

  it('the edit tool keeps the mode of the file', () => {
    using place = novel();
    const file = join(place.root, 'scenes/dawn.md');
    chmodSync(file, 0o640);
    createEditTool(place.root, [file]).run({ path: file, old_string: 'the the', new_string: 'the' }, signal);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(readFileSync(file, 'utf8')).toMatch(/^Ada locks the door/);
  });
});

describe('looking around', () => {
  it('the grep tool finds words in upper and lower case, with their lines', () => {
    using place = novel();
    expect(createGrepTool(place.root).run({ text: 'MILL' }, signal)).toBe(
      'scenes/dawn.md:1: Ada locks the the door. The mill is silent.\nscenes/noon.md:1: Bo waits at the mill.',
    );
    expect(createGrepTool(place.root).run({ text: 'mill', path: 'scenes/noon.md' }, signal)).not.toContain(
      'dawn',
    );
    expect(createGrepTool(place.root).run({ text: '(a+)+$' }, signal)).toBe('Nothing was found.');
  });

  it('the glob tool lists files by a pattern, and follows no link', () => {
    using place = novel();
    symlinkSync('/etc', join(place.root, 'scenes/etc'));
    expect(createGlobTool(place.root).run({ pattern: 'scenes/**/*.md' }, signal)).toBe(
      'scenes/dawn.md\nscenes/noon.md',
    );
    expect(createGlobTool(place.root).run({}, signal)).toContain('characters/ada.yaml');
    expect(createGlobTool(place.root).run({ pattern: '*.pdf' }, signal)).toBe('No file matches.');
  });
});

describe('a recap', () => {
  it('the recap tool runs nib if it is installed', async () => {
    using place = novel();
    chmodSync(place.write('bin/nib', '#!/bin/sh\necho "$PWD: $*"\n'), 0o755);
    const tool = createRecapTool(place.root, { PATH: `${join(place.root, '..', 'bin')}:/bin:/usr/bin` });
    expect(await tool.run({ range: '1 - 2', character: 'ada' }, signal)).toBe(
      `${place.root}: ct recap --detailed --character=ada -- 1-2\n`,
    );
  });

  it('the recap tool returns the error of nib', async () => {
    using place = novel();
    chmodSync(place.write('bin/nib', '#!/bin/sh\necho "error: no such chapter" >&2\nexit 1\n'), 0o755);
    const tool = createRecapTool(place.root, { PATH: `${join(place.root, '..', 'bin')}:/bin:/usr/bin` });
    await expect(tool.run({ range: '9' }, signal)).rejects.toThrow('error: no such chapter');
  });

  it('the recap tool reads the tables without nib', async () => {
    using place = novel();
    const tool = createRecapTool(place.root, { PATH: '/nowhere' });
    expect(await tool.run({ range: '1' }, signal)).toBe('storydb/scenes.csv:\nscene,pov\ndawn,ada\n');
  });

  it.each([{ range: '$(id)' }, { range: '1; rm' }, { range: '1', character: '-x y' }])(
    'is not asked for with %j',
    async (input) => {
      using place = novel();
      await expect(createRecapTool(place.root, {}).run(input, signal)).rejects.toThrow(/cannot be/);
    },
  );
});
