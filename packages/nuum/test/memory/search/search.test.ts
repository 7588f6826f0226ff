import { expect, it } from 'vitest';
import { termsOf, toIndexText } from '../../../src/memory/search/words.ts';
import { opened } from '../opened.ts';

const SAID = [
  'The deployment server is called blue-heron and lives in rack 42.',
  'getUserById(id) throws ERR_NOT_FOUND in src/users/find-user.ts:118',
  'デプロイ先は東京都庁の第三サーバーです。',
  'She said "never on a Friday" AND meant it; NOT a joke.',
  'We use C++ here, C# there, and plain C nowhere.',
  'Die Datenbankverbindung braucht das Passwort aus dem Tresor.',
  'précis: the café opens at 07:45',
  'arrow => function, a?.b ?? c',
  "It's 100% sure: price is $19.99 (incl. VAT)",
  'import { readFileSync } from "node:fs";',
  'ยินดีต้อนรับสู่กรุงเทพมหานคร 🚀',
];

it.each([
  ['blue-heron', 0],
  ['blue heron', 0],
  ['What is the deployment server called?', 0],
  ['rack 42', 0],
  ['getUserById', 1],
  ['user by id', 1],
  ['getUser', 1],
  ['ERR_NOT_FOUND', 1],
  ['src/users/find-user.ts', 1],
  ['find-user.ts:118', 1],
  ['東京', 2],
  ['都庁', 2],
  ['庁', 2],
  ['サーバー', 2],
  ['第三サーバーです', 2],
  ['東京のサーバーはどこにありますか？', 2],
  ['fetchUserById', 1],
  ['"never on a Friday"', 3],
  ['Friday AND joke', 3],
  ['NOT a joke', 3],
  ['NEAR(never Friday)', 3],
  ['C++', 4],
  ['C#', 4],
  ['verbindung', 5],
  ['verbindung Tresor', 5],
  ['precis', 6],
  ['cafe', 6],
  ['CAFÉ', 6],
  ['07:45', 6],
  ['=>', 7],
  ['a?.b', 7],
  ['$19.99', 8],
  ['100%', 8],
  ['กรุงเทพ', 10],
  ['🚀', 10],
  ['readFileSync', 9],
  ['"node:fs"', 9],
  ['from "node:fs"', 9],
])('finds %s', async (query, index) => {
  using open = opened();
  open.memory.messages.appendAll(SAID.map((text) => ({ kind: 'user', text })));
  const [best] = await open.memory.search.messages({ query });
  expect(best?.number).toBe(index + 1);
  expect(best?.snippet).not.toBe('');
});

it.each([
  '"',
  '""',
  '*',
  '(',
  ')',
  'AND',
  'OR NOT',
  'a"b',
  '^x',
  'col:x',
  '-x',
  '{a b}: c',
  '\0',
  '\ud800',
  ' ',
  ';--',
])('survives the query %j', async (query) => {
  using open = opened();
  open.memory.messages.append({ kind: 'user', text: 'something else' });
  await expect(open.memory.search.messages({ query })).resolves.toBeInstanceOf(Array);
  expect(open.memory.search.knowledge(query)).toEqual([]);
});

it('finds what a tool was called with, and what came of it', async () => {
  using open = opened();
  const { messages, search } = open.memory;
  messages.append({
    kind: 'call',
    callId: 'c',
    name: 'bash',
    input: { command: 'echo "hi\nthere" > /tmp/greeting.txt' },
  });
  messages.append({ kind: 'result', callId: 'c', content: 'zsh: permission denied', isError: true });
  for (const [query, number] of [
    ['there', 1],
    ['greeting.txt', 1],
    ['bash', 1],
    ['permission denied', 2],
  ] as const) {
    expect((await search.messages({ query }))[0]?.number, query).toBe(number);
  }
  expect((await search.messages({ query: '"echo "hi"' }))[0]?.number).toBe(1);
});

it('looks only between two numbers, and gives no more than was asked for', async () => {
  using open = opened();
  open.memory.messages.appendAll(
    Array.from({ length: 30 }, (_, n) => ({ kind: 'user', text: `apple ${n}` })),
  );
  const numbers = async (query: object): Promise<number[]> =>
    (await open.memory.search.messages({ query: 'apple', ...query })).map(({ number }) => number);
  expect(await numbers({ limit: 3 })).toHaveLength(3);
  expect((await numbers({ after: 10, before: 13 })).sort()).toEqual([11, 12]);
  // A part of a word is looked for in another way.
  expect(
    (await open.memory.search.messages({ query: 'ppl', after: 10, before: 13 })).map(({ number }) => number),
  ).toEqual([12, 11]);
});

it('puts what has all words before what has some', async () => {
  using open = opened();
  const texts = ['red fox', 'red red red red', 'a quick red animal, namely a fox', 'fox'];
  open.memory.messages.appendAll(texts.map((text) => ({ kind: 'user', text })));
  const found = await open.memory.search.messages({ query: 'red fox' });
  expect(
    found
      .map(({ number }) => number)
      .slice(0, 2)
      .sort(),
  ).toEqual([1, 3]);
  expect(found).toHaveLength(4);
});

it('finds knowledge by title, slug and parts of words', () => {
  using open = opened();
  const { knowledge, search } = open.memory;
  knowledge.write({
    slug: 'release-steps',
    title: 'Releasing',
    body: 'Bump the Versionsnummer, then tag.',
    expected: 0,
    by: 'agent',
  });
  for (const query of ['releasing', 'steps', 'tag bump', 'nummer']) {
    expect(search.knowledge(query), query).toMatchObject([{ slug: 'release-steps', version: 1 }]);
  }
  knowledge.write({
    slug: 'release-steps',
    title: 'Releasing',
    body: 'Ask Maria.',
    expected: 1,
    by: 'agent',
  });
  expect(search.knowledge('Versionsnummer')).toEqual([]);
  expect(search.knowledge('maria')).toHaveLength(1);
});

it('prepares texts for the index', () => {
  expect(toIndexText('readConfigFile')).toBe('readConfigFile\nread config file');
  expect(toIndexText('東京都').trim()).toBe('東京 京都 都');
  expect(termsOf('one "two three" one')).toHaveLength(2);
});
