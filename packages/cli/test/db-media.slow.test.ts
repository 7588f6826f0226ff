import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { ended, type Home, home, instanceAt, say, type Up } from './gateway.ts';

interface Upload {
  readonly id: string;
  readonly text: string;
}

/** Gives a session files of these contents. */
async function upload(place: Home, session: string, ...texts: string[]): Promise<Upload[]> {
  const { url, token } = instanceAt(join(place.data, 'gateway.json'));
  const uploads: Upload[] = [];
  for (const text of texts) {
    const response = await fetch(`${url}/api/media?session=${session}&name=note.txt`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
      body: text,
    });
    uploads.push({ id: ((await response.json()) as { id: string }).id, text });
  }
  return uploads;
}

async function download(up: Up, id: string): Promise<string> {
  return (await up.api<{ text: string }>('GET', `/api/media/${id}`)).json.text;
}

/** A place whose gateway has a session with files, and has been stopped. */
async function filled(place: Home, ...texts: string[]): Promise<Upload[]> {
  const up = await place.up();
  const session = await say(up, 'remember me');
  await session.hears('the answer comes', ended);
  const uploads = await upload(place, session.id, ...texts);
  await up.end();
  return uploads;
}

const mediaOf = (place: Home): string => join(place.data, 'media');
const names = (directory: string): string[] => readdirSync(directory).sort();
const leftovers = (directory: string): string[] =>
  readdirSync(directory).filter((name) => /^\.|before|partial/.test(name));

describe.concurrent('plugboard db backup', () => {
  it('takes files along, while the gateway runs and while it does not, for its owner alone', async () => {
    await using place = home();
    const up = await place.up();
    const session = await say(up, 'remember me');
    await session.hears('the answer comes', ended);
    const [one] = await upload(place, session.id, 'one', 'second');
    const told = await place.run(['db', 'backup', 'a.db']);
    expect(told).toMatchObject({ code: 0, stdout: '' });
    expect(told.stderr).toMatch(
      /^What was said was copied to a\.db \(.* KiB\), and 2 files \(9 bytes\) to a\.db\.media\.\n$/,
    );
    const copies = join(place.path, 'a.db.media');
    expect(names(copies)).toEqual(['SHA256SUMS', ...names(mediaOf(place))].sort());
    expect(statSync(copies).mode & 0o777).toBe(0o700);
    const [file = ''] = names(copies).filter((name) => name.startsWith(one?.id ?? '-'));
    expect(readFileSync(join(copies, file), 'utf8')).toBe('one');
    expect(statSync(join(copies, file))).toMatchObject({ nlink: 1 });
    expect(statSync(join(copies, file)).mode & 0o777).toBe(0o600);
    await up.end();
    const json = await place.run(['db', 'backup', 'b.db', '--json']);
    expect(JSON.parse(json.stdout)).toEqual({
      file: 'b.db',
      bytes: statSync(join(place.path, 'b.db')).size,
      media: { directory: 'b.db.media', files: 2, bytes: 9, missing: 0 },
    });
    expect(leftovers(place.path)).toEqual([]);
    expect(names(place.path).filter((name) => /-(wal|shm)$|lock$/.test(name))).toEqual([]);
  });

  it('leaves files out when it is told to', async () => {
    await using place = home();
    await filled(place, 'one');
    const { stderr, code } = await place.run(['db', 'backup', 'a.db', '--no-media']);
    expect([code, stderr]).toEqual([0, expect.stringContaining('Files were left out.')]);
    expect(existsSync(join(place.path, 'a.db.media'))).toBe(false);
    const { stdout } = await place.run(['db', 'backup', 'b.db', '--no-media', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ media: null });
  });

  it('notes what is gone by then, leaves out what no session has, and follows no link', async () => {
    await using place = home();
    const uploads = await filled(place, 'one', 'two', 'three', 'four');
    const file = (at: number): string =>
      join(
        mediaOf(place),
        names(mediaOf(place)).find((name) => name.startsWith(uploads[at]?.id ?? '-')) ?? '',
      );
    const [gone, linked, cut] = [file(0), file(1), file(2)];
    rmSync(gone);
    rmSync(linked);
    writeFileSync(join(place.path, 'secret'), 'two');
    symlinkSync(join(place.path, 'secret'), linked);
    truncateSync(cut, 2);
    writeFileSync(join(mediaOf(place), 'upload.part'), 'half');
    const { stdout } = await place.run(['db', 'backup', 'a.db', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ media: { files: 1, bytes: 4, missing: 3 } });
    const kept = names(join(place.path, 'a.db.media'));
    expect([kept.includes('SHA256SUMS'), kept.includes('missing.txt'), kept.length]).toEqual([true, true, 3]);
    // Those are not missed when it is restored.
    const restored = await place.run(['db', 'restore', 'a.db', '--force', '--json']);
    expect(JSON.parse(restored.stdout)).toMatchObject({ media: { files: 1, bytes: 4, missing: 3 } });
  });

  it('never writes over anything, and leaves nothing behind when it fails', async () => {
    await using place = home();
    await filled(place, 'one');
    mkdirSync(join(place.path, 'a.db.media'));
    expect(await place.run(['db', 'backup', 'a.db'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('a.db.media is there already. Name a new file.'),
    });
    writeFileSync(join(place.data, 'plugboard.db'), 'no database at all');
    expect((await place.run(['db', 'backup', 'b.db'])).code).toBe(1);
    expect(names(place.path).filter((name) => name.startsWith('b.db'))).toEqual([]);
    expect(leftovers(place.path)).toEqual([]);
  });
});

describe.concurrent('plugboard db restore', () => {
  it('brings files back, on another machine too', async () => {
    await using place = home();
    await using other = home();
    const uploads = await filled(place, 'one', 'second');
    const copy = join(place.path, 'a.db');
    await place.run(['db', 'backup', copy]);
    const told = await other.run(['db', 'restore', copy]);
    expect(told).toMatchObject({ code: 0, stderr: `${copy} was restored, with 2 files (9 bytes).\n` });
    expect(statSync(mediaOf(other)).mode & 0o777).toBe(0o700);
    const up = await other.up();
    for (const { id, text } of uploads) expect(await download(up, id)).toBe(text);
    expect(leftovers(other.data)).toEqual([]);
  });

  it('keeps the files of what was there beside, and they outlive the gateway', async () => {
    await using place = home();
    const [old] = await filled(place, 'one');
    await place.run(['db', 'backup', 'a.db']);
    const [newer] = await filled(place, 'newer');
    const { stdout } = await place.run(['db', 'restore', 'a.db', '--force', '--json']);
    const { kept, keptMedia, media } = JSON.parse(stdout);
    expect(media).toEqual({ files: 1, bytes: 3, missing: 0, checked: true });
    expect(names(keptMedia).map((name) => name.split('.')[0])).toEqual([old?.id, newer?.id].sort());
    // What the restored store does not know goes in time; what was kept does not go with it.
    for (const name of names(mediaOf(place)))
      if (name.startsWith(newer?.id ?? '-')) rmSync(join(mediaOf(place), name));
    const up = await place.up();
    expect(await download(up, old?.id ?? '')).toBe('one');
    await up.end();
    renameSync(keptMedia, `${kept}.media`);
    expect(await place.run(['db', 'restore', kept, '--force'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`${kept}.media has no list of what its files contained`),
    });
    expect(await download(await place.up(), newer?.id ?? '')).toBe('newer');
  });

  it('refuses a copy without its files, and changes nothing, unless they are to be left out', async () => {
    await using place = home();
    await filled(place, 'one', 'second');
    await place.run(['db', 'backup', 'a.db']);
    await filled(place, 'newer');
    const before = readFileSync(join(place.data, 'plugboard.db'));
    const files = names(mediaOf(place));
    const folder = join(place.path, 'a.db.media');
    const [first = ''] = names(folder).filter((name) => name !== 'SHA256SUMS');
    const damages: [() => void, string][] = [
      [
        () => truncateSync(join(folder, first), 1),
        `${first} is not in a.db.media, or not whole: 1 file belongs`,
      ],
      [() => rmSync(join(folder, first)), `${first} is not in a.db.media, or not whole: 1 file belongs`],
      [() => rmSync(folder, { recursive: true }), 'a.db.media is not there: 2 files belong to a.db'],
    ];
    for (const [damage, sentence] of damages) {
      damage();
      const { code, stderr } = await place.run(['db', 'restore', 'a.db', '--force']);
      expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)]);
      expect(stderr).toContain('--no-media');
    }
    expect(readFileSync(join(place.data, 'plugboard.db')).equals(before)).toBe(true);
    expect(names(mediaOf(place))).toEqual(files);
    expect(leftovers(place.data)).toEqual([]);
    const { code, stderr } = await place.run(['db', 'restore', 'a.db', '--force', '--no-media']);
    expect([code, stderr]).toEqual([0, expect.stringContaining('a.db was restored, without files.')]);
  });

  it('refuses a file that was changed, though it is as long as it was, and changes nothing', async () => {
    await using place = home();
    await using other = home();
    await filled(place, 'one', 'second');
    const copy = join(place.path, 'a.db');
    await place.run(['db', 'backup', copy]);
    const folder = `${copy}.media`;
    const files = names(folder).filter((name) => name !== 'SHA256SUMS');
    const [first = ''] = files;
    const [before, sums] = [first, 'SHA256SUMS'].map((name) => readFileSync(join(folder, name), 'utf8'));
    writeFileSync(join(folder, first), 'x'.repeat(before?.length ?? 0));
    const refused = await other.run(['db', 'restore', copy]);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${first} in ${folder} was changed or damaged since it was copied. `),
    });
    expect(names(other.data)).toEqual(['cache']);
    writeFileSync(join(folder, first), before ?? '');
    // A list that is damaged itself is no proof either.
    writeFileSync(join(folder, 'SHA256SUMS'), (sums ?? '').slice(0, 80));
    expect(await other.run(['db', 'restore', copy])).toMatchObject({ code: 1 });
    expect(names(other.data)).toEqual(['cache']);
    rmSync(join(folder, 'SHA256SUMS'));
    const { code, stdout, stderr } = await other.run(['db', 'restore', copy, '--json']);
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout).media).toEqual({ files: 2, bytes: 9, missing: 0, checked: false });
  });

  it('takes a file that was missed when the copy was made, and has been brought since', async () => {
    await using place = home();
    await filled(place, 'one');
    const [file = ''] = names(mediaOf(place));
    rmSync(join(mediaOf(place), file));
    await place.run(['db', 'backup', 'a.db']);
    writeFileSync(join(place.path, 'a.db.media', file), 'one');
    const { stdout } = await place.run(['db', 'restore', 'a.db', '--force', '--json']);
    expect(JSON.parse(stdout).media).toEqual({ files: 1, bytes: 3, missing: 0, checked: true });
  });

  it('puts store and files where they lie, though links lead there', async () => {
    await using place = home();
    const [one] = await filled(place, 'one');
    const away = join(place.path, 'away');
    mkdirSync(away);
    for (const name of ['media', 'plugboard.db']) {
      renameSync(join(place.data, name), join(away, name));
      symlinkSync(join(away, name), join(place.data, name));
    }
    await place.run(['db', 'backup', 'a.db']);
    const { stdout } = await place.run(['db', 'restore', 'a.db', '--force', '--json']);
    expect(JSON.parse(stdout).kept).toMatch(new RegExp(`^${away}/plugboard\\.db\\.before-`));
    expect(lstatSync(join(place.data, 'plugboard.db')).isSymbolicLink()).toBe(true);
    expect(leftovers(away).filter((name) => name.startsWith('.'))).toEqual([]);
    expect(await download(await place.up(), one?.id ?? '')).toBe('one');
  });

  it('writes nowhere but among its own files, whatever a copy says', async () => {
    await using place = home();
    await filled(place, 'one');
    await place.run(['db', 'backup', 'a.db']);
    const database = new DatabaseSync(join(place.path, 'a.db'));
    database.exec("update media set file = '../../stolen'");
    database.close();
    const { code, stderr } = await place.run(['db', 'restore', 'a.db', '--force']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('cannot be one of its own: "../../stolen"')]);
    expect(leftovers(place.data)).toEqual([]);
  });
});
