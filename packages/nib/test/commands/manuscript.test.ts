import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { computeChecksum } from '../../src/files/checksum.ts';
import { countWords } from '../../src/manuscript/word-count.ts';
import { recordScene } from '../../src/storydb/record-scene.ts';
import { createTestEntry } from '../stories.ts';
import { BOOK, createTestProject } from '../test-project.ts';

const minting = { newId: () => 'ID', indexedAt: 't' };

describe('nib manuscript', () => {
  it('nib ma toc shows the table of contents', async () => {
    using world = createTestProject();
    expect((await world.nib('ma toc')).out).toBe(
      'The Test\n\n1  Chapter One\n    1.1  dawn\n    1.2  noon\n2  The Ferry\n    2.1  dusk\n3  Interlude\n    3.1  letter\n4  Planned\n',
    );
  });

  it('nib ma status shows words, and the index state of scenes', async () => {
    using world = createTestProject({ 'book.yaml': BOOK.replace('- dusk', '- dusk\n        - unwritten') });
    for (const slug of ['dawn', 'noon']) {
      const sum = computeChecksum(Buffer.from(world.read(`scenes/${slug}.md`)));
      await recordScene(world.root, createTestEntry(slug, slug === 'dawn' ? sum : 'old'), minting);
    }
    const status = JSON.parse((await world.nib('ma status --json')).out);
    expect(
      status.chapters.flatMap((one: { scenes: { state: string }[] }) => one.scenes.map(({ state }) => state)),
    ).toEqual(['indexed', 'stale', 'unindexed', 'missing', 'unindexed']);
    expect(status.words).toBe(8 + 5 + 5 + 6);
    expect((await world.nib('ma st')).out).toMatch(/24 words in 5 scenes and 4 chapters; 1 indexed\.\n$/);
  });

  it('nib ma search finds a text with its reference and line', async () => {
    using world = createTestProject();
    expect((await world.nib('ma search mill')).out).toBe(
      '1.1:1: The mill stood still.\n1.2:1: Noon came. The Mill turned.\n3.1:3: the mill is sold.\n',
    );
    expect((await world.nib('ma search Mill -s')).out).toBe('1.2:1: Noon came. The Mill turned.\n');
    expect((await world.nib('ma search -e gr[ae]y.eyes --range 1')).out).toBe('1.1:2: Ada had grey eyes.\n');
    expect((await world.nib('ma search m.ll')).err).toBe('Nothing was found.\n');
    expect(JSON.parse((await world.nib('ma search ferry --json')).out)).toEqual([
      { ref: '2.1', slug: 'dusk', line: 1, text: 'The ferry left at dusk.' },
    ]);
    expect(await world.nib('ma search -e (')).toMatchObject({ code: 1, out: '' });
  });

  it.each(['ma status', 'ma search mill', 'ct index 2.1 --yes'])(
    'nib %s does not wait for a pipe in the place of a scene',
    async (line) => {
      using world = createTestProject();
      rmSync(join(world.root, 'scenes/dusk.md'));
      execFileSync('mkfifo', [join(world.root, 'scenes/dusk.md')]);
      const { code, err } = await world.nib(line);
      expect(code).toBe(1);
      expect(err).toContain('scenes/dusk.md is a pipe or a device, and a file is needed there.');
    },
  );

  it('nib ma build omits empty scenes and chapters', async () => {
    using world = createTestProject({ 'scenes/dawn.md': '\n', 'scenes/dusk.md': '' });
    const { err } = await world.nib('ma build md');
    expect(err).toBe('Left out, since nothing is written in it: chapter 2, 4.\n');
    expect(world.read('build/manuscript.md')).toBe(
      [
        '# The Test',
        '*A. Tester*',
        '## Chapter One',
        'Noon came. The Mill turned.',
        '## Interlude',
        'Dear Bo,\n\nthe mill is sold.\n',
      ].join('\n\n'),
    );
  });

  it('nib ma build writes one file and keeps the others in build', async () => {
    using world = createTestProject({
      'build/final.docx': 'precious',
      'scenes/noon.md': '\uFEFFNoon.\r\nDone.\r\n\r\n',
    });
    const { code, out, err } = await world.nib('ma build md');
    expect({ code, out, err }).toEqual({
      code: 0,
      out: `${join(world.root, 'build/manuscript.md')}\n`,
      err: 'Left out, since nothing is written in it: chapter 4.\n',
    });
    expect(world.read('build/manuscript.md')).toBe(
      [
        '# The Test',
        '*A. Tester*',
        '## Chapter One',
        'The mill stood still.\nAda had grey eyes.',
        '***',
        'Noon.\nDone.',
        '## The Ferry',
        'The ferry left at dusk.',
        '## Interlude',
        'Dear Bo,\n\nthe mill is sold.\n',
      ].join('\n\n'),
    );
    expect(readdirSync(join(world.root, 'build')).sort()).toEqual(['final.docx', 'manuscript.md']);
  });

  it('nib ma build --out never overwrites the manuscript', async () => {
    using world = createTestProject();
    expect((await world.nib(['ma', 'build', '--out', 'my book.md'])).code).toBe(0);
    expect(world.read('my book.md')).toContain('# The Test');
    for (const file of ['book.yaml', 'scenes/../scenes/dawn.md']) {
      expect((await world.nib(['ma', 'build', '-o', file])).err).toContain(
        'belongs to the manuscript itself',
      );
    }
    expect(world.read('book.yaml')).toBe(BOOK);
  });

  it('nib ma build names every scene without a file', async () => {
    using world = createTestProject({
      'book.yaml': BOOK.replace('- dusk', '- dusk\n        - x\n        - y'),
    });
    expect((await world.nib('ma build')).err).toContain('No file for 2.2 (scenes/x.md), 2.3 (scenes/y.md)');
  });

  it('nib ma build reports a missing pandoc and an unknown format', async () => {
    using world = createTestProject();
    expect((await world.nib('ma build docx', { variables: { PATH: '/nowhere' } })).err).toContain(
      'pandoc is needed for docx',
    );
    expect((await world.nib('ma build doc')).err).toContain('md, docx, epub, pdf');
  });
});

describe('counting words', () => {
  it.each([
    ['', 0],
    ["It's a well-known o’clock.", 4],
    ['*** — … 1,5', 2],
    ['私は猫', 3],
    ['naïve café', 2],
  ])('counts the words of %j', (text, count) => expect(countWords(text)).toBe(count));

  it('nib ma build passes title, author, language and chapters of level 1 to pandoc', async () => {
    using world = createTestProject({
      'book.yaml': BOOK.replace('author:', 'language: de\nauthor:'),
      'scenes/dawn.md': '# Part\n\nIt cost $5.\n\n---\nnot: yaml\n---\n',
      'bin/pandoc':
        '#!/bin/sh\nprintf "%s\\n" "$@" > "$OUT.args"; while [ "$1" != --output ]; do shift; done; cat > "$2"\n',
    });
    chmodSync(join(world.root, 'bin/pandoc'), 0o755);
    const variables = {
      PATH: `${join(world.root, 'bin')}:${process.env.PATH}`,
      OUT: join(world.root, 'out'),
    };
    expect((await world.nib('ma build epub', { variables })).code).toBe(0);
    const args = world.read('out.args').split('\n');
    expect(args).toEqual(expect.arrayContaining(['title=The Test', 'author=A. Tester', 'lang=de']));
    expect(args).toContain('markdown-yaml_metadata_block-tex_math_dollars-raw_tex');
    const text = world.read('build/manuscript.epub');
    expect(text.match(/^# .*$/gm)).toEqual(['# Chapter One', '# The Ferry', '# Interlude']);
    expect(text).toContain('## Part\n');
    expect(text).not.toContain('The Test');
  });

  it('nib ma build refuses an invalid language with its line', async () => {
    using world = createTestProject({
      'book.yaml': BOOK.replace('author:', 'language: "Old English!"\nauthor:'),
    });
    expect((await world.nib('ma toc')).err).toContain(
      'book.yaml:2: The language "Old English!" is no language tag.',
    );
  });
});

const folders = (process.env.PATH ?? '').split(delimiter);
const hasPandoc = folders.some((folder) => existsSync(join(folder, 'pandoc')));

describe.skipIf(!hasPandoc)('an EPUB by pandoc itself', () => {
  it('an EPUB has a file for each chapter, one title, and the language of the book', async () => {
    using world = createTestProject({ 'book.yaml': BOOK.replace('author:', 'language: de\nauthor:') });
    expect((await world.nib('ma build epub')).code).toBe(0);
    const epub = join(world.root, 'build/manuscript.epub');
    const list = execFileSync('unzip', ['-Z1', epub], { encoding: 'utf8' }).split('\n');
    const chapters = list.filter((name) => /text\/ch\d+\.xhtml$/.test(name));
    expect(chapters).toHaveLength(3);
    const content = (name: string): string => execFileSync('unzip', ['-p', epub, name], { encoding: 'utf8' });
    expect(content(list.find((name) => name.endsWith('.opf')) ?? '')).toMatch(
      /<dc:language>de<\/dc:language>/,
    );
    const pages = list
      .filter((name) => /text\/.*xhtml$/.test(name))
      .map(content)
      .join('');
    expect(pages.match(/<h1[^>]*>\s*The Test\s*</g)).toHaveLength(1);
    expect(chapters.map((name) => /<h1[^>]*>([^<]*)</.exec(content(name))?.[1])).toEqual([
      'Chapter One',
      'The Ferry',
      'Interlude',
    ]);
  });
});
