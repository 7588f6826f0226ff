import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTurn } from '@plugboard/protocol';
import { temporaryDirectory } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { fileMemory, recall, remember, shortMemory } from '../src/session/memory.ts';

it('keeps the ids of each agent apart, from one start to the next', () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, 'deep', 'sessions');
  fileMemory(path).set('a', 'work', 'id-1');
  fileMemory(path).set('b', 'work', 'id-2');
  expect(fileMemory(path).get('a', 'work')).toBe('id-1');
  expect(fileMemory(path).get('b', 'work')).toBe('id-2');
  expect(fileMemory(path).get('a', 'home')).toBeUndefined();
  fileMemory(path).forget('a', 'work');
  expect(fileMemory(path).get('a', 'work')).toBeUndefined();
});

it('is for its owner alone, and leaves nothing beside it', () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, 'sessions');
  fileMemory(path).set('a', 'k', 'v');
  const files = readdirSync(path);
  expect(files).toHaveLength(1);
  expect(statSync(join(path, files[0] ?? '')).mode & 0o777).toBe(0o600);
});

it.each(['__proto__', 'constructor', 'toString'])('takes %s for a name like any other', (name) => {
  using directory = temporaryDirectory();
  const memory = fileMemory(join(directory.path, 'sessions'));
  expect(memory.get(name, name)).toBeUndefined();
  memory.set('agent', name, 'v');
  expect(memory.get('agent', name)).toBe('v');
  expect(({} as Record<string, unknown>).v).toBeUndefined();
});

it('says which file is broken', () => {
  using directory = temporaryDirectory();
  const memory = fileMemory(directory.path);
  memory.set('a', 'k', 'v');
  const file = join(directory.path, readdirSync(directory.path)[0] ?? '');
  writeFileSync(file, '{"half":');
  expect(() => memory.get('a', 'k')).toThrow(file);
});

it('tells apart what only looks alike', () => {
  using directory = temporaryDirectory();
  for (const memory of [fileMemory(directory.path), shortMemory()]) {
    memory.set('a', 'b/../c', '1');
    memory.set('a/b', '../c', '2');
    memory.set('', 'a', '3');
    memory.set('a', '', '4');
    const all = [
      memory.get('a', 'b/../c'),
      memory.get('a/b', '../c'),
      memory.get('', 'a'),
      memory.get('a', ''),
    ];
    expect(all).toEqual(['1', '2', '3', '4']);
  }
});

it('gives an id back with the next turn, and keeps the last one', () => {
  using directory = temporaryDirectory();
  const memory = fileMemory(join(directory.path, 'sessions'));
  const turn = createTurn({ id: '1', session: { key: 'work' } });
  expect(recall(memory, 'a', turn)).toEqual(turn);
  remember(memory, 'a', turn, [
    { type: 'session', id: 'one' },
    { type: 'session', id: 'two' },
  ]);
  expect(recall(memory, 'a', turn)).toMatchObject({ session: { agentId: 'two' } });
  const mine = { ...turn, session: { key: 'work', agentId: 'mine' } };
  expect(recall(memory, 'a', mine)).toEqual(mine);
});

it('does not fail a turn whose id cannot be kept, and refuses one whose id cannot be read', () => {
  using directory = temporaryDirectory();
  writeFileSync(join(directory.path, 'file'), '');
  const memory = fileMemory(join(directory.path, 'file', 'sessions'));
  const turn = createTurn({ id: '1' });
  expect(remember(memory, 'a', turn, [{ type: 'session', id: 'x' }])).toMatchObject({
    type: 'log',
    level: 'error',
  });
  expect(recall(memory, 'a', turn)).toMatchObject({ code: 'session-memory' });
});

it('keeps the last of several ids of a turn, also when that is the one it began with', () => {
  const memory = shortMemory();
  const say = (...ids: string[]) => {
    const turn = recall(memory, 'a', createTurn({ id: 't', session: { key: 'work' } }));
    if ('message' in turn) throw new Error(turn.message);
    for (const id of ids) remember(memory, 'a', turn, [{ type: 'session', id }]);
    return memory.get('a', 'work');
  };
  expect([say('first', 'B'), say('first', 'B'), say('B'), say('first', 'B')]).toEqual(['B', 'B', 'B', 'B']);
});

it.each([
  ['shortMemory', () => shortMemory],
  ['fileMemory', (path: string) => () => fileMemory(path)],
])("%s keeps the first session key that claims an agent's session", (_name, createFor) => {
  using directory = temporaryDirectory();
  const create = createFor(directory.path);
  const memory = create();
  expect(memory.claim('a', 'id', 'alice')).toBe('alice');
  expect(memory.claim('a', 'id', 'bob')).toBe('alice');
  expect(memory.claim('a', 'other', 'bob')).toBe('bob');
  expect(memory.claim('b', 'id', 'bob')).toBe('bob');
  expect(memory.get('a', 'id')).toBeUndefined();
});
