import { join } from 'node:path';
import { expect, it } from 'vitest';
import { diffConfig } from '../../src/config/diff.ts';
import { folder } from './folder.ts';

const BUCKET = `endpoint: https://s3.example.org/
    bucket: files
    access_key: { file: access }
    secret_key: { file: secret }`;

it('files are in the data directory when nothing is said', async () => {
  using at = folder('');
  expect(await at.read()).not.toHaveProperty('media');
});

it('files are in a directory that is named relative to the file', async () => {
  using at = folder('media: { directory: ./shared }');
  expect((await at.read()).media).toEqual({ directory: join(at.path, 'shared') });
});

it('files are in a bucket, whose keys are read from files, variables or credentials', async () => {
  using at = folder({
    'plugboard.yaml': `media:\n  s3:\n    ${BUCKET}\n`,
    access: 'AK\n',
    secret: 'hidden\n',
  });
  const config = await at.read();
  expect(config.media?.s3).toMatchObject({
    endpoint: 'https://s3.example.org',
    bucket: 'files',
    region: 'us-east-1',
    prefix: 'media/',
    addressing: 'path',
  });
  expect(config.media?.s3?.accessKey.reveal()).toBe('AK');
  expect(config.media?.s3?.secretKey.reveal()).toBe('hidden');
  expect(JSON.stringify(config.shown)).not.toMatch(/hidden|"AK"/);
  expect(config.files.map((file) => file.replace(at.path, ''))).toContain('/secret');
  at.write(`env: [SECRET]\nmedia:\n  s3:\n    ${BUCKET.replace('{ file: secret }', '"${SECRET}"')}\n`);
  const other = await at.read({ SECRET: 'fresh' });
  expect(other.media?.s3?.secretKey.reveal()).toBe('fresh');
  expect(diffConfig(config, other).restart).toContain('media');
});

it.each([
  [
    'media: { directory: a, s3: { endpoint: "http://a", bucket: abc, access_key: { file: a }, secret_key: { file: a } } }',
    /either a directory or s3/,
  ],
  ['media: {}', /either a directory or s3/],
  [
    `media:\n  s3:\n    ${BUCKET.replace('https://s3.example.org/', 's3.example.org')}`,
    /Expected an http or https address/,
  ],
  [`media:\n  s3:\n    ${BUCKET.replace('https://s3', 'https://me:pass@s3')}`, /without user/],
  [`media:\n  s3:\n    ${BUCKET.replace('files', 'My_Files')}`, /Expected the name of a bucket/],
  [`media:\n  s3:\n    prefix: a/../b/\n    ${BUCKET}`, /without "\." or "\.\."/],
  [`media:\n  s3:\n    prefix: /a/\n    ${BUCKET}`, /without \/ at the beginning/],
  [`media:\n  s3:\n    ${BUCKET.replace('{ file: secret }', 'plainsecret')}`, /A secret is not written here/],
])('a mistake is told where it stands, and no secret with it: %#', async (text, sentence) => {
  using at = folder({ 'plugboard.yaml': text, access: 'AK', secret: 'hidden' });
  const problems = await at.problems();
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(/^plugboard\.yaml:\d+:\d+: /);
  expect(problems[0]).toMatch(sentence);
  expect(problems[0]).not.toMatch(/plainsecret|me:pass/);
});
