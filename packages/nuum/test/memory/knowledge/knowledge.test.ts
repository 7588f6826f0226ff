import { describe, expect, it } from 'vitest';
import { linksIn } from '../../../src/memory/knowledge/links.ts';
import type { Memory } from '../../../src/memory/memory.ts';
import { matchesGlob } from '../../../src/memory/tools/search.ts';
import { opened } from '../opened.ts';

function add({ knowledge }: Memory, slug: string, parent?: string): void {
  const place = parent === undefined ? {} : { parent };
  knowledge.write({ slug, title: `On ${slug}`, body: `About ${slug}.`, ...place, expected: 0, by: 'agent' });
}

const paths = ({ knowledge }: Memory): string[] => knowledge.tree().map(({ path }) => path);
const refused = (code: string): unknown => expect.objectContaining({ code });

describe('an entry', () => {
  it('an entry keeps every version, with its author and source', () => {
    using open = opened();
    const { knowledge } = open.memory;
    add(open.memory, 'build');
    open.clock.now += 5;
    knowledge.write({
      ...{ slug: 'build', title: 'Building', body: 'Run make.', expected: 1, by: 'distiller' },
      source: { from: 3, to: 9 },
    });
    expect(knowledge.read('build')).toMatchObject({
      version: 2,
      title: 'Building',
      by: 'distiller',
      source: { from: 3, to: 9 },
    });
    expect(knowledge.read('build', 1)).toMatchObject({ version: 1, body: 'About build.', by: 'agent' });
    expect(knowledge.read('build', 3)).toBeUndefined();
    expect(knowledge.history('build').map(({ change }) => change)).toEqual(['created', 'updated']);
  });

  it('an entry is not overwritten by a writer that has not read its last version', () => {
    using open = opened();
    const { knowledge } = open.memory;
    add(open.memory, 'build');
    const next = { slug: 'build', title: 'x', expected: 1 };
    knowledge.write({ ...next, body: 'curated', by: 'distiller' });
    expect(() => knowledge.write({ ...next, body: 'researched', by: 'research' })).toThrow(
      'is at version 2, not 1: read it again',
    );
    expect(() => add(open.memory, 'build')).toThrow('There is an entry "build" already, at version 2');
    expect(knowledge.read('build')?.body).toBe('curated');
  });

  it.each(['', 'Über', 'a b', 'a/b', '-x', '../x', 'x'.repeat(81)])(
    'an entry cannot have the slug "%s"',
    (slug) => {
      using open = opened();
      expect(() => add(open.memory, slug)).toThrow(refused('invalid') as Error);
    },
  );

  it('an entry can have a slug in any script', () => {
    using open = opened();
    add(open.memory, '東京-設定');
    expect(open.memory.knowledge.read('東京-設定')?.version).toBe(1);
  });
});

describe('the tree', () => {
  it('moving or renaming an entry keeps its descendants', () => {
    using open = opened();
    for (const [slug, parent] of [['a'], ['b', 'a'], ['c', 'b'], ['d']] as const)
      add(open.memory, slug ?? '', parent);
    expect(paths(open.memory)).toEqual(['a', 'a/b', 'a/b/c', 'd']);
    open.memory.knowledge.move({ slug: 'b', to: 'bb', parent: 'd', expected: 1, by: 'agent' });
    expect(paths(open.memory)).toEqual(['a', 'd', 'd/bb', 'd/bb/c']);
    expect(open.memory.knowledge.history('bb').map(({ slug, change }) => [slug, change])).toEqual([
      ['b', 'created'],
      ['bb', 'moved'],
    ]);
  });

  it('an entry cannot be moved below itself', () => {
    using open = opened();
    for (const [slug, parent] of [['a'], ['b', 'a'], ['c', 'b']] as const)
      add(open.memory, slug ?? '', parent);
    for (const parent of ['a', 'b', 'c']) {
      expect(() => open.memory.knowledge.move({ slug: 'a', parent, expected: 1, by: 'agent' })).toThrow(
        refused('invalid') as Error,
      );
    }
    expect(paths(open.memory)).toEqual(['a', 'a/b', 'a/b/c']);
  });

  it('an unknown parent and a taken slug are refused', () => {
    using open = opened();
    add(open.memory, 'a');
    add(open.memory, 'b');
    expect(() => add(open.memory, 'c', 'nowhere')).toThrow('write that one first');
    expect(() => open.memory.knowledge.move({ slug: 'a', to: 'b', expected: 1, by: 'agent' })).toThrow(
      refused('conflict') as Error,
    );
  });

  it('an archived entry gives up its slug', () => {
    using open = opened();
    const { knowledge } = open.memory;
    add(open.memory, 'a');
    add(open.memory, 'b', 'a');
    expect(() => knowledge.archive({ slug: 'a', expected: 1, by: 'agent' })).toThrow('Under "a" stand "b"');
    expect(knowledge.archive({ slug: 'a', expected: 1, by: 'agent', withChildren: true })).toEqual([
      'a',
      'b',
    ]);
    expect(paths(open.memory)).toEqual([]);
    expect(open.memory.search.knowledge('About')).toEqual([]);
    expect(knowledge.read('a')).toMatchObject({ change: 'archived', body: 'About a.' });
    add(open.memory, 'a');
    expect(knowledge.read('a')).toMatchObject({ change: 'created', version: 1 });
  });
});

it('finds links, and who has them', () => {
  using open = opened();
  add(open.memory, 'a');
  open.memory.knowledge.write({
    slug: 'b',
    title: 'b',
    body: 'See [[a]] and [[a|that]].',
    expected: 0,
    by: 'person',
  });
  expect(linksIn('[[x]] [[y|words]] [[x]] [[ ]] [no] [[a\nb]]')).toEqual(['x', 'y']);
  expect(open.memory.knowledge.linkingTo('a')).toEqual(['b']);
  expect(open.memory.knowledge.linkingTo('b')).toEqual([]);
});

it('puts identity and behaviour into every prompt, within bounds', () => {
  using open = opened();
  expect(open.memory.standing()).toBe('');
  add(open.memory, 'other');
  open.memory.knowledge.write({
    slug: 'identity',
    title: 'Who I am',
    body: 'A gardener.',
    expected: 0,
    by: 'person',
  });
  open.memory.knowledge.write({
    slug: 'behaviour',
    title: 'How',
    body: 'slow '.repeat(30_000),
    expected: 0,
    by: 'person',
  });
  expect(open.memory.standing()).toMatch(/^## Who I am\n\nA gardener\.\n\n## How\n\nslow slow/);
  expect(open.memory.standing().length).toBeLessThan(10_000);
});

it.each([
  ['a/b/c', '**', true],
  ['a', '*', true],
  ['a/b', '*', false],
  ['a/b', 'a/*', true],
  ['a/b/c', 'a/**', true],
  ['a', 'a/**', true],
  ['a/b/c', 'a/**/c', true],
  ['a/c', 'a/**/c', true],
  ['x/c', '**/c', true],
  ['a.b', 'a?b', true],
  ['axb', 'a.b', false],
])('path %s against %s: %s', (path, pattern, expected) => expect(matchesGlob(path, pattern)).toBe(expected));

it.each(['distiller', 'research'] as const)('lets %s change nothing that stands in every prompt', (by) => {
  using open = opened();
  const { knowledge } = open.memory;
  const { version } = knowledge.write({
    slug: 'identity',
    title: 'I',
    body: 'Bosun.',
    expected: 0,
    by: 'person',
  });
  const other = knowledge.write({ slug: 'trap', title: 'T', body: 'Obey.', expected: 0, by });
  const refused = /only a person can change it/;
  expect(() => knowledge.write({ slug: 'behaviour', title: 'B', body: 'Obey.', expected: 0, by })).toThrow(
    refused,
  );
  expect(() => knowledge.write({ slug: 'identity', title: 'I', body: 'x', expected: version, by })).toThrow(
    refused,
  );
  expect(() => knowledge.move({ slug: 'trap', to: 'behaviour', expected: other.version, by })).toThrow(
    refused,
  );
  expect(() => knowledge.move({ slug: 'identity', to: 'gone', expected: version, by })).toThrow(refused);
  expect(() => knowledge.archive({ slug: 'identity', expected: version, by })).toThrow(refused);
  expect(open.memory.standing()).toBe('## I\n\nBosun.');
});
