import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openSqlite } from '@plugboard/store/sqlite';
import { describe, expect, it } from 'vitest';
import { type Home, home } from './gateway.ts';
import { plugboard } from './plugboard.ts';

/** A place with a store, and what can be mistaken for a file. */
async function furnished(): Promise<Home> {
  const place = home();
  const store = openSqlite(join(place.data, 'plugboard.db'), { clock: () => 1 });
  await store.sessions.open({ channel: 'web', place: 'hall', agent: 'demo' });
  await store.close();
  mkdirSync(join(place.path, 'folder'));
  writeFileSync(join(place.path, 'note'), 'not a database');
  writeFileSync(join(place.path, 'empty'), '');
  return place;
}

const SYSTEM_WORDS = /\bE[A-Z]{3,}\b|errno|syscall|no such file or directory/;

/** Everything that lies in a directory and below it. */
const all = (directory: string): string[] => readdirSync(directory, { recursive: true }).map(String).sort();

describe.concurrent('plugboard db backup says what is wrong', () => {
  it.each([
    ['nowhere/a.db', (at: string) => `The folder ${at}/nowhere does not exist. Make it, or name a file`],
    ['note/a.db', (at: string) => `${at}/note is not a folder: no file can be in it.`],
    [
      'folder',
      (at: string) => `${at}/folder is a folder. Name a new file in it, such as ${at}/folder/copy.db.`,
    ],
    ['note', (at: string) => `${at}/note is there already. Name a new file.`],
    ['', () => 'Name the file that the copy is to be.'],
  ])('with the target "%s"', async (target, sentence) => {
    await using place = await furnished();
    const before = all(place.path);
    const { code, stdout, stderr } = await place.run(['db', 'backup', target]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^plugboard: .*\.\n$/);
    expect(stderr).toContain(sentence(place.path));
    expect(stderr).not.toMatch(SYSTEM_WORDS);
    expect(all(place.path)).toEqual(before);
  });

  it.each(['a.db', 'a.db.media'])('with a link to nowhere at %s, which stays', async (name) => {
    await using place = await furnished();
    symlinkSync('unmounted/a.db', join(place.path, name));
    const { code, stderr } = await place.run(['db', 'backup', 'a.db']);
    expect([code, stderr]).toEqual([
      2,
      `plugboard: ${place.path}/${name} is a link to something that is not there. Name a new file.\n`,
    ]);
    expect(readlinkSync(join(place.path, name))).toBe('unmounted/a.db');
    expect(all(place.path).filter((one) => /^\.backup|unmounted/.test(one))).toEqual([]);
  });

  it('with a data directory that is a file, or not there, or has no store', async () => {
    await using place = await furnished();
    const backup = (data: string) =>
      plugboard(['db', 'backup', 'a.db', '--data', data], { cwd: place.path, env: { PLUGBOARD_TOKEN: '' } });
    expect(await backup('note')).toMatchObject({
      code: 2,
      stderr: `plugboard: The data directory ${place.path}/note is not a folder. Name another with --data.\n`,
    });
    for (const data of ['nowhere', 'folder']) {
      const { code, stderr } = await backup(data);
      const sentence = `There is nothing to copy: ${place.path}/${data}/plugboard.db does not exist.`;
      expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
    }
    expect(existsSync(join(place.path, 'a.db'))).toBe(false);
    expect(readdirSync(join(place.path, 'folder'))).toEqual([]);
  });
});

describe.concurrent('plugboard db restore says what is wrong, and leaves nothing', () => {
  const ADVICE = ' Name a file that plugboard db backup has made.\n';

  it.each([
    ['missing.db', 'There is no file missing.db.'],
    ['note/a.db', 'There is no file note/a.db.'],
    ['folder', 'folder is a folder.'],
    ['pipe', 'pipe is not a file.'],
    ['note', 'note is not a backup of Plugboard.'],
    ['empty', 'empty is not a backup of Plugboard.'],
    ['blank.db', 'blank.db is not a backup of Plugboard.'],
    ['foreign.db', 'foreign.db is not a backup of Plugboard.'],
  ])('with the copy %s', async (name, sentence) => {
    await using place = await furnished();
    spawnSync('mkfifo', [join(place.path, 'pipe')]);
    const blank = new DatabaseSync(join(place.path, 'blank.db'));
    blank.exec('create table a (x); drop table a;');
    blank.close();
    const foreign = new DatabaseSync(join(place.path, 'foreign.db'));
    foreign.exec('create table a (x)');
    foreign.close();
    const before = all(place.path);
    const data = join(place.path, 'new', 'data');
    const run = plugboard(['db', 'restore', name, '--data', data], { cwd: place.path });
    expect(await run).toEqual({ code: 2, stdout: '', stderr: `plugboard: ${sentence}${ADVICE}` });
    expect(all(place.path)).toEqual(before);
  });

  it('with a data directory that is a file, or cannot be made', async () => {
    await using place = await furnished();
    await place.run(['db', 'backup', 'a.db']);
    for (const [data, code, words] of [
      [`${place.path}/note`, 2, 'is not a folder. Name another with --data.'],
      [`${place.path}/note/below`, 2, `cannot be had: ${place.path}/note is not a folder. Name another`],
      ['/proc/plugboard', 1, '/proc/plugboard cannot be used: '],
    ] as const) {
      const { code: ended, stderr } = await plugboard(['db', 'restore', 'a.db', '--data', data], {
        cwd: place.path,
      });
      expect([ended, stderr]).toEqual([code, expect.stringContaining(words)]);
      expect(stderr).not.toMatch(SYSTEM_WORDS);
    }
    expect(statSync(join(place.path, 'note')).size).toBe(14);
  });

  it('with a place for files that is none', async () => {
    await using place = await furnished();
    await using other = home();
    await place.run(['db', 'backup', join(other.path, 'a.db')]);
    writeFileSync(join(other.data, 'media'), 'in the way');
    const { code, stderr } = await other.run(['db', 'restore', 'a.db']);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${other.data}/media cannot be used: `)]);
    expect(stderr).not.toMatch(SYSTEM_WORDS);
    expect(readdirSync(other.data).sort()).toEqual(['cache', 'media']);
  });

  it('with a store that is a link to nowhere, which stays', async () => {
    await using place = await furnished();
    await place.run(['db', 'backup', 'a.db']);
    const store = join(place.data, 'plugboard.db');
    rmSync(store);
    symlinkSync('unmounted/plugboard.db', store);
    const { code, stderr } = await place.run(['db', 'restore', 'a.db', '--force']);
    expect([code, stderr]).toEqual([
      2,
      `plugboard: ${store} is a link to something that is not there. Bring that back, or remove the link.\n`,
    ]);
    expect(readlinkSync(store)).toBe('unmounted/plugboard.db');
  });
});
