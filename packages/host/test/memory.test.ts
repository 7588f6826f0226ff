import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTurn } from '@plugboard/protocol';
import { temporaryDirectory } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { fileMemory, recall, remember } from '../src/session/memory.ts';

it('keeps the ids of each agent apart, from one start to the next', () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, 'deep', 'sessions.json');
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
  const path = join(directory.path, 'sessions.json');
  fileMemory(path).set('a', 'k', 'v');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(directory.path)).toEqual(['sessions.json']);
});

it.each(['__proto__', 'constructor', 'toString'])('takes %s for a name like any other', (name) => {
  using directory = temporaryDirectory();
  const memory = fileMemory(join(directory.path, 'sessions.json'));
  expect(memory.get(name, name)).toBeUndefined();
  memory.set('agent', name, 'v');
  expect(memory.get('agent', name)).toBe('v');
  expect(({} as Record<string, unknown>)['v']).toBeUndefined();
});

it('says which file is broken, and does not overwrite it', () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, 'sessions.json');
  writeFileSync(path, '{"half":');
  expect(() => fileMemory(path).set('a', 'k', 'v')).toThrow(path);
  expect(readFileSync(path, 'utf8')).toBe('{"half":');
});

it('gives an id back with the next turn, and keeps the last one', () => {
  using directory = temporaryDirectory();
  const memory = fileMemory(join(directory.path, 'sessions.json'));
  const turn = createTurn({ id: '1', session: { key: 'work' } });
  expect(recall(memory, 'a', turn).session.agentId).toBeUndefined();
  remember(memory, 'a', turn, [
    { type: 'session', id: 'one' },
    { type: 'session', id: 'two' },
  ]);
  expect(recall(memory, 'a', turn).session.agentId).toBe('two');
  expect(recall(memory, 'a', { ...turn, session: { key: 'work', agentId: 'mine' } }).session.agentId).toBe(
    'mine',
  );
});
