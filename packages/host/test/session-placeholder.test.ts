import { profileFor } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { createSessionOfProcess } from '../src/session/placeholder.ts';

const profile = profileFor('nuum', ['agent', '--db', 'm/{session}{session}.db'], '/w', {
  env: { MEMORY: '{session}', OTHER: 'x' },
});

it('fills {session} in the command and the variables with the key of the first turn', () => {
  const session = createSessionOfProcess(profile, true);
  expect(session.isKnown()).toBe(false);
  expect(session.take('work')).toBeUndefined();
  expect(session.isKnown()).toBe(true);
  expect(session.profile().settings).toMatchObject({
    command: { argv: ['agent', '--db', 'm/workwork.db'] },
    env: { MEMORY: 'work', OTHER: 'x' },
  });
  expect(session.take('work')).toBeUndefined();
  expect(session.take('home')).toMatchObject({ code: 'other-session' });
});

it('fills a key that is no file name as its hash, and nothing of it is taken for a pattern', () => {
  const filled = (key: string): string => {
    const session = createSessionOfProcess(profile, true);
    session.take(key);
    return session.profile().settings.env.MEMORY ?? '';
  };
  expect(filled('a.b-c_D')).toBe('a.b-c_D');
  for (const key of ['', '.', '..', '.hidden', '-rf', 'a/b', 'a b', '$&', 'é', 'x'.repeat(200)])
    expect(filled(key)).toMatch(/^~[0-9a-f]{64}$/);
  expect(filled('a/b')).not.toBe(filled('a b'));
});

it('leaves a command alone that has no {session}, or where it is not to be filled', () => {
  const session = createSessionOfProcess(profile, false);
  expect([session.take('a'), session.take('b'), session.isKnown()]).toEqual([undefined, undefined, true]);
  expect(session.profile()).toBe(profile);
});
