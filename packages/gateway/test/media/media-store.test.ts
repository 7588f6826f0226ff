import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { onTestEnd, temporaryDirectory } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/log.ts';
import { MediaTooLargeError } from '../../src/media/media-store.ts';
import { displayName } from '../../src/media/name.ts';
import { type Bench, startBench } from '../harness.ts';
import { NASTY_NAMES } from './nasty-names.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000', 'hex');

async function* pieces(...parts: (Buffer | Error)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    yield part;
  }
}

const shelfOf = ({ directory }: Bench): string => join(directory, 'media');

describe('a name', () => {
  it.each([
    [`${'x'.repeat(200)}.pdf`, `${'x'.repeat(196)}.pdf`],
    ['x'.repeat(200), 'x'.repeat(200)],
    [`${'x'.repeat(250)}.${'y'.repeat(30)}`, 'x'.repeat(200)],
    [`${'😀'.repeat(200)}.tar.gz`, `${'😀'.repeat(197)}.gz`],
  ])('that is too long keeps its extension (%#)', (name, shown) => {
    expect(displayName(name)).toBe(shown);
  });

  it.each(NASTY_NAMES)('is only shown, and safely: %j', (name) => {
    const shown = displayName(name);
    expect(shown.length).toBeGreaterThan(0);
    expect([...shown].length).toBeLessThanOrEqual(200);
    expect(shown).not.toMatch(/[/\\\p{Cc}\p{Cf}\u2028\u2029]/u);
    expect(shown.isWellFormed()).toBe(true);
    expect(['.', '..', '']).not.toContain(shown);
  });
});

describe('a file', () => {
  it('lies under a name of ours, whatever its own is, and ends as what it is', async () => {
    const bench = await startBench();
    const session = await bench.session();
    const files: string[] = [];
    for (const name of NASTY_NAMES) {
      const media = await bench.gateway.media.add(session.id, { name, bytes: pieces(PNG) });
      expect(media.file).toMatch(/^[\w-]{24}\.png$/);
      expect(basename(await bench.gateway.media.localPath(media))).toBe(media.file);
      files.push(media.file);
    }
    expect(readdirSync(shelfOf(bench)).sort()).toEqual(files.sort());
    expect(
      bench.gateway.media.attachment((await bench.store.media.get(files[0]?.split('.')[0] ?? '')) as never)
        .path,
    ).toMatch(/\.png$/);
  });

  it('can be read by us alone, whatever the process lets others do', async () => {
    const before = process.umask(0);
    onTestEnd(() => void process.umask(before));
    const bench = await startBench();
    const session = await bench.session();
    const media = await bench.gateway.media.add(session.id, { name: 'a', bytes: pieces(PNG) });
    expect(statSync(await bench.gateway.media.localPath(media)).mode & 0o777).toBe(0o600);
    expect(statSync(shelfOf(bench)).mode & 0o777).toBe(0o700);
  });

  it('lies in a directory that is closed to others also when it was open before', async () => {
    using home = temporaryDirectory();
    mkdirSync(join(home.path, 'media'), { mode: 0o755 });
    chmodSync(join(home.path, 'media'), 0o755);
    await startBench({ directory: home.path });
    expect(statSync(join(home.path, 'media')).mode & 0o777).toBe(0o700);
  });

  it.each([
    ['is too large', [Buffer.alloc(600), Buffer.alloc(600)]],
    ['is cut off', [PNG, new Error('The connection was lost.')]],
    ['is cut off at once', [new Error('The connection was lost.')]],
  ])('of which nothing is left when it %s', async (_what, parts) => {
    const bench = await startBench({ server: { mediaBytes: 1_024 } });
    const session = await bench.session();
    await expect(
      bench.gateway.media.add(session.id, { name: 'a', bytes: pieces(...parts) }),
    ).rejects.toThrow();
    expect(readdirSync(shelfOf(bench))).toEqual([]);
  });

  it('may be as large as the limit, and not a byte more', async () => {
    const bench = await startBench({ server: { mediaBytes: 1_024 } });
    const session = await bench.session();
    const add = (size: number) =>
      bench.gateway.media.add(session.id, { name: 'a', bytes: pieces(Buffer.alloc(size)) });
    expect((await add(1_024)).size).toBe(1_024);
    await expect(add(1_025)).rejects.toThrow(MediaTooLargeError);
    expect((await add(0)).size).toBe(0);
  });

  it('is not kept when the session is not there', async () => {
    const bench = await startBench();
    await expect(bench.gateway.media.add('nobody', { name: 'a', bytes: pieces(PNG) })).rejects.toThrow();
    expect(readdirSync(shelfOf(bench))).toEqual([]);
  });
});

describe('what a gateway that was killed has left', () => {
  it('is removed once it is old, and nothing else is', async () => {
    const bench = await startBench({ storeFor: (store) => ({ ...store, createdAt: 0 }) });
    const session = await bench.session();
    const { media } = bench.gateway;
    const kept = await media.add(session.id, { name: 'a', bytes: pieces(PNG) });
    const at = (name: string): string => join(shelfOf(bench), name);
    const old = new Date(Date.now() - 3_700_000);
    for (const name of ['half.part', 'nobodys.png', 'fresh.part', 'fresh.png']) writeFileSync(at(name), 'x');
    for (const name of ['half.part', 'nobodys.png', kept.file]) utimesSync(at(name), old, old);
    mkdirSync(at('folder'));
    await media.sweep();
    expect(readdirSync(shelfOf(bench)).sort()).toEqual(
      [kept.file, 'folder', 'fresh.part', 'fresh.png'].sort(),
    );
    expect(readFileSync(await media.localPath(kept))).toEqual(PNG);
  });

  it('stays when it is a whole file that is older than the store', async () => {
    const warnings: string[] = [];
    const log = { ...silentLogger, warn: (message: string) => void warnings.push(message) };
    const bench = await startBench({ log });
    const old = new Date(Date.now() - 3_700_000);
    for (const name of ['half.part', 'of-a-lost-store.png']) {
      writeFileSync(join(shelfOf(bench), name), 'x');
      utimesSync(join(shelfOf(bench), name), old, old);
    }
    await bench.gateway.media.sweep();
    expect(readdirSync(shelfOf(bench))).toEqual(['of-a-lost-store.png']);
    expect(warnings).toContainEqual(expect.stringContaining('older than the store'));
  });
});
