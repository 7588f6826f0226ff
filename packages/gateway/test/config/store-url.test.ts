import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { describeConfig } from '../../src/config/describe.ts';
import { diffConfig } from '../../src/config/diff.ts';
import { configSchema } from '../../src/config/editor.ts';
import { folder } from './folder.ts';

const OPEN = 'postgres://plugboard@db.example.org/plugboard';
const CLOSED = 'postgres://plugboard:canary@db.example.org/plugboard?sslmode=verify-full';

describe('the URL of a store', () => {
  it.each([
    ['a text', `store: ${OPEN}`, OPEN],
    ['a field', `store: { url: ${OPEN} }`, OPEN],
    ['a field with its driver', `store: { driver: postgres, url: ${OPEN} }`, OPEN],
    ['a variable', 'env: [DATABASE]\nstore: ${DATABASE}', CLOSED],
    ['a variable in a field', 'env: [DATABASE]\nstore: { url: "${DATABASE}" }', CLOSED],
    ['a file', 'store: { url: { file: ./secret } }', CLOSED],
  ])('can be %s', async (_what, text, url) => {
    using at = folder({ 'plugboard.yaml': `${text}\n`, secret: `${CLOSED}\n` });
    const { store } = await at.read({ DATABASE: CLOSED });
    expect(store.driver).toBe('postgres');
    expect(store.url?.reveal()).toBe(url);
  });

  it('comes from PLUGBOARD_STORE when the file names no store', async () => {
    using at = folder('store: { synchronous: normal }\n');
    expect((await at.read({ PLUGBOARD_STORE: CLOSED })).store.url?.reveal()).toBe(CLOSED);
    expect((await at.read({ PLUGBOARD_STORE: '' })).store.driver).toBe('sqlite');
    at.write(`store: ${OPEN}\n`);
    expect((await at.read({ PLUGBOARD_STORE: CLOSED })).store.url?.reveal()).toBe(OPEN);
    at.write('store: { file: ./own.db }\n');
    expect((await at.read({ PLUGBOARD_STORE: CLOSED })).store).toMatchObject({ driver: 'sqlite' });
  });

  it('is never shown', async () => {
    using at = folder('env: [DATABASE]\nstore: ${DATABASE}\n');
    const config = await at.read({ DATABASE: CLOSED });
    const shown = [JSON.stringify(config), inspect(config, { depth: null }), describeConfig(config)];
    expect(shown.join()).not.toContain('canary');
    expect(describeConfig(config)).toMatch(/store\.url: \$\{DATABASE\} +# .*plugboard\.yaml:2/);
  });

  it.each([
    [`store: ${CLOSED}`, /^plugboard\.yaml:1:1: .*A URL with a password is not written here/],
    [
      'store: "postgres://a:${PASSWORD}@host/b"\nenv: [PASSWORD]',
      /A URL with a password is not written here/,
    ],
    ['store: mysql://host/db', /Expected the URL of a Postgres database: postgres:/],
    ['store: nonsense', /Expected the URL of a Postgres database/],
    ['store: { driver: postgres }', /A store in Postgres needs its url/],
    [`store: { driver: sqlite, url: "${OPEN}" }`, /A store in SQLite has a file, and no url/],
    [`store: { file: ./a.db, url: "${OPEN}" }`, /a file or a url, and not both/],
    ['store: { driver: mongo }', /sqlite/],
  ])('is refused, without being repeated: %s', async (text, problem) => {
    using at = folder(`${text}\n`);
    const problems = await at.problems({ PASSWORD: 'canary' });
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(problems.join()).not.toContain('canary');
  });

  it('of another kind in PLUGBOARD_STORE is refused by the name of the variable', async () => {
    using at = folder('');
    expect(await at.problems({ PLUGBOARD_STORE: 'mysql://canary' })).toEqual([
      expect.stringMatching(/The variable PLUGBOARD_STORE: expected the URL of a Postgres database/),
    ]);
  });

  it('takes effect after a restart', async () => {
    using at = folder(`store: ${OPEN}\n`);
    const before = await at.read();
    expect(diffConfig(before, await at.read()).none).toBe(true);
    at.write(`store: ${OPEN}2\n`);
    expect(diffConfig(before, await at.read()).restart).toEqual(['store.url']);
  });

  it('may be a text in the schema for editors', () => {
    const { properties } = configSchema() as { properties: { store: { anyOf: { type: string }[] } } };
    expect(properties.store.anyOf.map(({ type }) => type)).toEqual(['string', 'object']);
  });
});
