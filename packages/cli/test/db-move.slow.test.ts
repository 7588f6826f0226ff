import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type PostgresServer, startFakeS3, startPostgres } from '@plugboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ended, type Home, home, instanceAt, say, shellAgent } from './gateway.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server[Symbol.asyncDispose]());

const AGENT = `agents: { short: ${shellAgent('echo fine')} }\n`;

interface Said {
  readonly session: string;
  readonly media: string;
}

/** A place whose gateway has heard something and been sent a file, and was stopped. */
async function filled(place: Home, text = 'a file'): Promise<Said> {
  const up = await place.up();
  const session = await say(up, 'hello');
  await session.hears('the answer comes', ended);
  const { url, token } = instanceAt(join(place.data, 'gateway.json'));
  const sent = await fetch(`${url}/api/media?session=${session.id}&name=note.txt`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/plain' },
    body: text,
  });
  const { id } = (await sent.json()) as { id: string };
  expect(await up.end()).toBe(0);
  return { session: session.id, media: id };
}

/** What a gateway of the place knows of it. */
async function found(place: Home, { session, media }: Said): Promise<{ events: string[]; file: string }> {
  const up = await place.up();
  const { url, token } = instanceAt(join(place.data, 'gateway.json'));
  const headers = { authorization: `Bearer ${token}` };
  const page = await fetch(`${url}/api/sessions/${session}/events`, { headers });
  const { events } = (await page.json()) as { events: { event: { type: string } }[] };
  const file = await fetch(`${url}/api/media/${media}`, { headers });
  const text = `${file.status} ${await file.text()}`;
  expect(await up.end()).toBe(0);
  return { events: events.map(({ event }) => event.type), file: text };
}

/** The lines that the command says to write. */
function settingsIn(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => /^ {2}(store|media):/.test(line));
  return `${lines.map((line) => line.trim()).join('\n')}\n`;
}

describe('plugboard db move', () => {
  it('moves a store to Postgres and back, and what it says to write is all there is to do', async () => {
    await using place = home(AGENT);
    const said = await filled(place);
    const url = await server.createDatabase();
    const there = await place.run(['db', 'move', '--to', url, '--config', 'plugboard.yaml']);
    expect([there.code, there.stdout]).toEqual([0, '']);
    expect(there.stderr).toMatch(
      /\d+ rows were moved to the database .*, and each was compared: sessions 1, events/,
    );
    expect(there.stderr).toMatch(/^Copied \d+ of \d+ rows\.$/m);
    expect(settingsIn(there.stderr)).toBe(
      `store: "${url}"\nmedia: { directory: "${join(place.data, 'media')}" }\n`,
    );
    const before = await (async () => {
      const old = await found(place, said);
      place.write(`${AGENT}${settingsIn(there.stderr)}`);
      return old;
    })();
    expect(before.file).toBe('200 a file');
    expect(await found(place, said)).toEqual(before);
    const file = join(place.path, 'back.db');
    const back = await place.run(['db', 'move', '--to', `sqlite:${file}`, '--config', 'plugboard.yaml']);
    expect([back.code, back.stderr]).toEqual([0, expect.stringContaining('Files stay where "media"')]);
    place.write(`${AGENT}${settingsIn(back.stderr)}`);
    expect(await found(place, said)).toEqual(before);
  });

  it('takes files along into Postgres and back', async () => {
    await using place = home(AGENT);
    const said = await filled(place);
    const url = await server.createDatabase();
    place.write(url, 'database');
    const there = await place.run([
      'db',
      'move',
      '--to',
      'file:database',
      '--media',
      '--config',
      'plugboard.yaml',
    ]);
    expect([there.code, there.stderr]).toEqual([
      0,
      expect.stringContaining('Files: 1 were copied, 0 were there'),
    ]);
    expect(settingsIn(there.stderr)).toBe(`store: { url: { file: "${join(place.path, 'database')}" } }\n`);
    rmSync(join(place.data, 'media'), { recursive: true });
    place.write(`${AGENT}${settingsIn(there.stderr)}`);
    expect((await found(place, said)).file).toBe('200 a file');
    const back = await place.run([
      'db',
      'move',
      '--to',
      `sqlite:${join(place.path, 'b.db')}`,
      '--media',
      '-c',
      'plugboard.yaml',
      '--json',
    ]);
    const done = JSON.parse(back.stdout) as { media: object; settings: string[] };
    expect(done.media).toEqual({ copied: 1, bytes: 6, there: 0, missing: [] });
    place.write(`${AGENT}${done.settings.join('\n')}\n`);
    expect((await found(place, said)).file).toBe('200 a file');
  });

  it('copies files into the bucket that the configuration names', async () => {
    await using s3 = await startFakeS3();
    await using place = home(AGENT);
    const said = await filled(place, 'x'.repeat(2 * 1024 ** 2));
    const url = await server.createDatabase();
    const large = await place.run(['db', 'move', '--to', url, '--media', '--config', 'plugboard.yaml']);
    expect([large.code, large.stderr]).toEqual([1, expect.stringMatching(/1 files are larger than 1 MiB/)]);
    place.write(s3.keys.accessKey, 'access');
    place.write(s3.keys.secretKey, 'secret');
    const media = `media: { s3: { endpoint: "${s3.url}", bucket: ${s3.bucket}, access_key: { file: access }, secret_key: { file: secret } } }\n`;
    place.write(`${AGENT}${media}`);
    const moved = await place.run(['db', 'move', '--to', url, '--media', '--config', 'plugboard.yaml']);
    expect([moved.code, moved.stderr]).toEqual([0, expect.stringContaining('Files: 1 were copied')]);
    const again = await place.run(['db', 'move', '--to', url, '--media', '--config', 'plugboard.yaml']);
    expect([again.code, again.stderr]).toEqual([
      0,
      expect.stringContaining('Files: 0 were copied, 1 were there'),
    ]);
    place.write(`${AGENT}${media}${settingsIn(moved.stderr)}`);
    expect((await found(place, said)).file).toBe(`200 ${'x'.repeat(2 * 1024 ** 2)}`);
  });

  it('names files that are gone, and ends with 1', async () => {
    await using place = home(AGENT);
    const { media } = await filled(place);
    rmSync(join(place.data, 'media'), { recursive: true });
    const moved = await place.run([
      'db',
      'move',
      '--to',
      await server.createDatabase(),
      '--media',
      '-c',
      'plugboard.yaml',
    ]);
    expect([moved.code, moved.stderr]).toEqual([
      1,
      expect.stringContaining(`Files that are gone, or shorter than they were: ${media}.txt`),
    ]);
  });

  it('is refused while the gateway runs, on either side', async () => {
    await using place = home(AGENT);
    await place.up();
    const url = await server.createDatabase();
    const running = await place.run(['db', 'move', '--to', url, '-c', 'plugboard.yaml']);
    expect([running.code, running.stderr]).toEqual([
      1,
      expect.stringMatching(/is in use by .* Stop the gateway: nothing may change/),
    ]);
    await using other = home(`${AGENT}store: "${url}"\n`);
    await other.up();
    const target = await other.run([
      'db',
      'move',
      '--to',
      `sqlite:${join(other.path, 'a.db')}`,
      '-c',
      'plugboard.yaml',
    ]);
    expect([target.code, target.stderr]).toEqual([1, expect.stringMatching(/is in use by a gateway/)]);
    expect(existsSync(join(other.path, 'a.db'))).toBe(false);
  });

  it.each([
    ['nonsense', /Name the new store: --to postgres/],
    ['sqlite:other.db', /in SQLite already: plugboard db backup/],
    ['file:nowhere', /The file .*nowhere cannot be read/],
    ['postgres://me:secret@127.0.0.1:1/nothing', /The database 127\.0\.0\.1:1\/nothing does not answer/],
  ])('says what is wrong with --to %s, and no password', async (to, sentence) => {
    await using place = home(AGENT);
    await filled(place);
    const { code, stderr } = await place.run(['db', 'move', '--to', to, '-c', 'plugboard.yaml']);
    expect([code === 0, stderr]).toEqual([false, expect.stringMatching(sentence)]);
    expect(stderr).not.toContain('secret');
    expect(readFileSync(join(place.path, 'plugboard.yaml'), 'utf8')).toBe(AGENT);
  });
});
