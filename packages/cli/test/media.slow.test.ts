import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type FakeS3, startFakeS3 } from '@plugboard/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Home, home, instanceAt, shellAgent } from './gateway.ts';

const AGENT = `agents: { short: ${shellAgent('echo fine')} }\n`;

/** A place whose configuration names a bucket. */
async function withBucket(): Promise<{ place: Home; s3: FakeS3 }> {
  const s3 = await startFakeS3();
  const { url, bucket, keys } = s3;
  const place = home(
    `${AGENT}media:\n  s3:\n    endpoint: ${url}\n    bucket: ${bucket}\n    access_key: { file: ./access }\n    secret_key: { file: ./secret }\n`,
  );
  place.write(keys.accessKey, 'access');
  place.write(keys.secretKey, 'secret');
  onTestFinished(async () => {
    await place[Symbol.asyncDispose]();
    await s3[Symbol.asyncDispose]();
  });
  return { place, s3 };
}

/** Starts a gateway and sends it a file. */
async function sendNote(place: Home): Promise<Response> {
  const up = await place.up();
  const session = (await up.api<{ id: string }>('POST', '/api/sessions', {})).json;
  const { url, token } = instanceAt(join(place.data, 'gateway.json'));
  return fetch(`${url}/api/media?session=${session.id}&name=note.txt`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/plain' },
    body: 'hello',
  });
}

async function mediaFinding(place: Home): Promise<{ state: string; message: string; fix?: string }> {
  const { stdout } = await place.run(['doctor', '--json', '--config', 'plugboard.yaml']);
  const findings = JSON.parse(stdout) as { id: string; state: string; message: string }[];
  const found = findings.find(({ id }) => id === 'media');
  if (found === undefined) throw new Error('doctor has not looked at media.');
  return found;
}

describe('plugboard with files in a bucket', () => {
  it('has doctor store, read and remove a file, and leave none', async () => {
    const { place, s3 } = await withBucket();
    expect(await mediaFinding(place)).toMatchObject({
      state: 'ok',
      message: `Files can be kept in s3:${s3.url}/files/media/, read and removed.`,
    });
    expect(s3.calls.map(({ method }) => method)).toEqual(['PUT', 'GET', 'DELETE']);
    expect(s3.objects.size).toBe(0);
  });

  it('has doctor tell a wrong secret in one sentence, without the secret', async () => {
    const { place } = await withBucket();
    place.write('guessed', 'secret');
    const found = await mediaFinding(place);
    expect(found).toMatchObject({
      state: 'fail',
      message: expect.stringContaining('refuses the secret key: check media.s3'),
    });
    expect(JSON.stringify(found)).not.toContain('guessed');
  });

  it('takes uploads there, and db backup says where they stay', async () => {
    const { place, s3 } = await withBucket();
    expect((await sendNote(place)).status).toBe(201);
    expect([...s3.objects.values()].map(String)).toContain('hello');
    const made = await place.run(['db', 'backup', 'copy.db', '--config', 'plugboard.yaml']);
    expect([made.code, made.stderr]).toEqual([0, expect.stringContaining('Files are in the bucket files')]);
    expect(existsSync(join(place.path, 'copy.db.media'))).toBe(false);
  });
});

it('db backup takes files from the directory that the configuration names', async () => {
  await using place = home(`${AGENT}media: { directory: ./shared }\n`);
  mkdirSync(join(place.path, 'shared'));
  expect((await sendNote(place)).status).toBe(201);
  const made = await place.run(['db', 'backup', 'copy.db', '--config', 'plugboard.yaml']);
  expect([made.code, made.stderr]).toEqual([0, expect.stringContaining('and 1 file')]);
  expect(readdirSync(join(place.path, 'copy.db.media')).filter((name) => name.endsWith('.txt'))).toHaveLength(
    1,
  );
});
