import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { backUp } from '../../src/drivers/sqlite/backup/back-up.ts';
import type { Restored, RestoreOptions } from '../../src/drivers/sqlite/backup/restore.ts';
import { restoreStore } from '../../src/drivers/sqlite/backup/restore.ts';
import { openSqlite } from '../../src/drivers/sqlite/open.ts';
import type { Opened } from '../contract/setup.ts';
import { delivery, place, say } from '../contract/setup.ts';
import { directory, openFile } from '../files.ts';

let its: Opened;
let home: string;

const backup = (): string => join(home, 'backup.db');
const media = (): string => join(home, 'media');
const target = (): string => join(home, 'target.db');
const targetMedia = (): string => join(home, 'target-media');

beforeEach(async () => {
  its = await openFile();
  home = directory();
  mkdirSync(media());
});
afterEach(async () => {
  await its.destroy();
  rmSync(home, { recursive: true });
});

/** Backs up a store with one session, a message that waits, a pending delivery and these media files. */
async function backUpStore(texts: Readonly<Record<string, string>>): Promise<void> {
  const session = await its.store.sessions.open(place('hall'));
  await say(its.store, session, 'hello');
  await its.store.outbox.add(session.id, delivery('hi'));
  for (const [id, text] of Object.entries(texts)) {
    const file = `${id}.txt`;
    writeFileSync(join(media(), file), text);
    const size = text.length;
    await its.store.media.add({ id, sessionId: session.id, name: 'note', type: 'text/plain', size, file });
  }
  await backUp(backup(), {
    copyStore: (file) => its.store.backup(file),
    media: media(),
    onProgress: () => {},
  });
}

function restore(options: Partial<RestoreOptions> = {}): Promise<Restored> {
  return restoreStore({
    file: backup(),
    target: target(),
    directory: targetMedia(),
    withMedia: true,
    force: false,
    onProgress: () => {},
    clock: () => its.clock.now,
    ...options,
  });
}

it('a restored backup has the log and the media, and its waiting work is cancelled', async () => {
  await backUpStore({ a: 'one', b: 'second' });
  const restored = await restore();
  expect(restored).toMatchObject({ dropped: 1, expired: 1, kept: undefined, keptMedia: undefined });
  expect(restored.media).toMatchObject({ files: 2, bytes: 9, missing: [], checked: true });
  expect(readFileSync(join(targetMedia(), 'b.txt'), 'utf8')).toBe('second');
  const store = openSqlite(target(), { clock: () => its.clock.now });
  const [session] = await store.sessions.list({ limit: 9 });
  expect(session).toMatchObject({ waiting: 0, lastEvent: 2 });
  expect(await store.outbox.list({ limit: 9 })).toMatchObject([{ state: 'expired' }]);
  expect((await store.media.get('a'))?.file).toBe('a.txt');
  await store.close();
});

it('a replaced store and its media are kept under another name', async () => {
  await backUpStore({ a: 'one' });
  await restore();
  await expect(restore()).rejects.toMatchObject({ name: 'BackupError', code: 'exists', path: target() });
  const { kept, keptMedia } = await restore({ force: true });
  expect([kept, keptMedia]).toEqual([
    `${target()}.before-19700101T001640Z`,
    `${targetMedia()}.before-19700101T001640Z`,
  ]);
  expect(readdirSync(keptMedia ?? '')).toEqual(['a.txt']);
  await openSqlite(kept ?? '', { clock: () => 1 }).close();
});

it('a restore is refused while a process has the store open, and the store stays', async () => {
  await backUpStore({});
  const open = openSqlite(target(), { clock: () => 1 });
  await expect(restore({ force: true })).rejects.toMatchObject({ code: 'in-use' });
  await open.check();
  await open.close();
});

it.each([
  ['media-changed', 'of another content', () => writeFileSync(join(`${backup()}.media`, 'a.txt'), 'eno')],
  ['media-missing', 'cut short', () => writeFileSync(join(`${backup()}.media`, 'a.txt'), 'on')],
  ['media-missing', 'removed', () => rmSync(join(`${backup()}.media`, 'a.txt'))],
  ['media-missing', 'removed with its directory', () => rmSync(`${backup()}.media`, { recursive: true })],
])(
  'a restore rejects with %s when a media file was %s, and leaves nothing behind',
  async (code, _how, damage) => {
    await backUpStore({ a: 'one' });
    damage();
    const before = readdirSync(home);
    await expect(restore()).rejects.toMatchObject({ name: 'BackupError', code });
    expect(readdirSync(home)).toEqual(before);
    expect((await restore({ withMedia: false })).media).toBeUndefined();
  },
);

it('a restore writes no media outside of the media directory, whatever path a backup names', async () => {
  await backUpStore({ a: 'one' });
  const database = new DatabaseSync(backup());
  database.exec("update media set file = '../stolen'");
  database.close();
  await expect(restore()).rejects.toMatchObject({ code: 'foreign-path' });
  expect(existsSync(join(home, 'stolen'))).toBe(false);
});

it('a restore refuses a database of another program and an empty file as not-a-backup', async () => {
  const foreign = new DatabaseSync(join(home, 'foreign.db'));
  foreign.exec('create table a (x)');
  foreign.close();
  writeFileSync(join(home, 'empty.db'), '');
  for (const name of ['foreign.db', 'empty.db'])
    await expect(restore({ file: join(home, name) }), name).rejects.toMatchObject({ code: 'not-a-backup' });
  await expect(restore({ file: join(home, 'none.db') })).rejects.toMatchObject({ code: 'not-found' });
});

it('errors of a restore name the backup and not the staged copy', async () => {
  await backUpStore({});
  const bytes = readFileSync(backup());
  bytes.fill(0xa5, 4_096 * 3, 4_096 * 9);
  writeFileSync(backup(), bytes);
  await expect(restore()).rejects.toMatchObject({
    code: 'corrupt',
    message: expect.stringContaining(`The file ${backup()} is damaged`),
  });
});

it('a backup without a media file lists it as missing, and can be restored', async () => {
  await backUpStore({ a: 'one' });
  rmSync(join(media(), 'a.txt'));
  const file = join(home, 'second.db');
  const options = { copyStore: (to: string) => its.store.backup(to), onProgress: () => {} };
  const { media: copied } = await backUp(file, { ...options, media: media() });
  expect(copied).toMatchObject({ files: 0, missing: ['a.txt'] });
  expect(readFileSync(join(`${file}.media`, 'missing.txt'), 'utf8')).toBe('a.txt\n');
  expect((await restore({ file })).media).toMatchObject({ files: 0, missing: ['a.txt'] });
  await expect(backUp(file, { ...options, media: undefined })).rejects.toMatchObject({ code: 'exists' });
});

it('a backup whose store cannot be copied leaves nothing behind and names the file asked for', async () => {
  const before = readdirSync(home);
  const copyStore = async (to: string): Promise<void> => {
    mkdirSync(to);
    await its.store.backup(to);
  };
  await expect(backUp(backup(), { copyStore, media: undefined, onProgress: () => {} })).rejects.toMatchObject(
    { code: 'conflict', message: `The file ${backup()} is there already.` },
  );
  expect(readdirSync(home)).toEqual(before);
});

it('a file system error of a backup names its directory and not the staging directory in it', async () => {
  const copyStore = async (to: string): Promise<void> => void readFileSync(to);
  await expect(backUp(backup(), { copyStore, media: undefined, onProgress: () => {} })).rejects.toMatchObject(
    { code: 'ENOENT', path: home },
  );
});
