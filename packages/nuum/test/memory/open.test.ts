import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryDirectory } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { openMemory } from '../../src/memory/open.ts';
import { describeMemory } from '../../src/memory/privacy/describe.ts';
import { createUlid } from '../../src/memory/ulid.ts';
import { opened } from './opened.ts';

const SESSION = /^nuum_[0-9A-HJKMNP-TV-Z]{26}$/;

it('has a session that stays for as long as the file, and no other file has', () => {
  using home = temporaryDirectory();
  const sessionOf = (name: string, now: number): string => {
    const memory = openMemory(join(home.path, name), { now: () => now });
    memory.close();
    return memory.session;
  };
  const first = sessionOf('a.db', 1_000);
  expect(first).toMatch(SESSION);
  for (let now = 0; now < 5; now += 1) expect(sessionOf('a.db', now)).toBe(first);
  expect(sessionOf('b.db', 1_000)).not.toBe(first);
});

it('writes a ULID as time, then chance', () => {
  expect(createUlid(1_469_918_176_385, () => new Uint8Array(10).fill(0xff))).toBe(
    '01ARYZ6S41ZZZZZZZZZZZZZZZZ',
  );
  expect(createUlid(0, () => new Uint8Array(10))).toBe('0'.repeat(26));
});

it('can be looked into while it is written to', () => {
  using open = opened();
  open.memory.messages.append({ kind: 'user', text: 'hello' });
  const reader = openMemory(open.file, { now: () => 0, readOnly: true });
  expect(reader.session).toBe(open.memory.session);
  expect(describeMemory(reader)).toMatchObject({ messages: { count: 1 } });
  expect(reader.messages.view(1_000).recent).toMatchObject([{ text: 'hello' }]);
  expect(() => reader.messages.append({ kind: 'note', text: 'x' })).toThrow(
    expect.objectContaining({ code: 'read-only' }),
  );
  reader.close();
});

it('keeps the present and the settings', () => {
  using open = opened();
  const { present, settings } = open.memory;
  expect(present.get()).toEqual({ mission: '', status: '', todos: [] });
  present.set({ mission: 'ship it', todos: [{ content: 'test', status: 'blocked', reason: 'no disk' }] });
  present.set({ status: 'testing' });
  settings.set('system_prompt', 'be kind');
  settings.set('system_prompt', 'be kinder');
  settings.set('gone', 'x');
  settings.set('gone', undefined);
  open.memory.close();
  const again = openMemory(open.file, { now: () => 0 });
  expect(again.present.get()).toEqual({
    mission: 'ship it',
    status: 'testing',
    todos: [{ content: 'test', status: 'blocked', reason: 'no disk' }],
  });
  expect([again.settings.get('system_prompt'), again.settings.get('gone')]).toEqual(['be kinder', undefined]);
  again.close();
});

/** The files that a file loads, and what it loads that is no file of ours. */
function loaded(file: string, files = new Set<string>(), others = new Set<string>()): Set<string> {
  if (files.has(file)) return others;
  files.add(file);
  const text = readFileSync(file, 'utf8');
  for (const [, specifier = ''] of text.matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)'/gm)) {
    if (specifier.startsWith('.')) loaded(join(dirname(file), specifier), files, others);
    else others.add(specifier);
  }
  return others;
}

it('loads no package but ours to open, and to distil', () => {
  const source = join(import.meta.dirname, '../../src/memory');
  const others = [...loaded(join(source, 'open.ts')), ...loaded(join(source, 'distil/distiller.ts'))];
  expect(others.filter((name) => !/^node:|^@plugboard\/(protocol|sqlite)$/.test(name))).toEqual([]);
  expect([...loaded(join(source, 'tools/create.ts'))]).toContain('zod');
});
