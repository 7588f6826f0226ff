import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, linkSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTurn, type Event } from '@plugboard/protocol';
import { temporaryDirectory } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { type MediaAccess, mediaAccessOf } from '../src/media/access.ts';
import { guardMedia } from '../src/media/guard.ts';
import { openMedia } from '../src/media/open.ts';
import type { Profile } from '../src/profile/profile.ts';

function accessTo(root: string, more: Partial<MediaAccess> = {}): MediaAccess {
  return { roots: [root], withheld: [], since: Date.now(), said: '', ...more };
}

function isRefused(path: string, access: MediaAccess, detected?: true): boolean {
  const opened = openMedia({ path, ...(detected === undefined ? {} : { detected }) }, access);
  if ('refused' in opened) return true;
  closeSync(opened.fd);
  return false;
}

/** A turn that begins later than every file of a test was made. */
const LATER = Date.now() + 3_600_000;

/** A root with one good file, beside a secret that must never be handed out. */
function scene() {
  const directory = temporaryDirectory();
  const root = join(directory.path, 'root');
  mkdirSync(join(root, 'folder.png'), { recursive: true });
  writeFileSync(join(root, 'good.png'), 'picture');
  writeFileSync(join(directory.path, 'secret.png'), 'secret');
  symlinkSync(join(directory.path, 'secret.png'), join(root, 'link.png'));
  symlinkSync(directory.path, join(root, 'out'));
  symlinkSync(join(root, 'good.png'), join(root, 'inner.png'));
  return { directory, root, secret: join(directory.path, 'secret.png') };
}

it('opens a regular file inside a root, also through a link that stays inside', () => {
  const { directory, root } = scene();
  using _ = directory;
  for (const name of ['good.png', 'inner.png']) {
    const opened = openMedia({ path: join(root, name) }, accessTo(root));
    if ('refused' in opened) throw new Error(opened.refused);
    expect(opened).toMatchObject({ path: join(root, 'good.png'), size: 7 });
    closeSync(opened.fd);
  }
});

it('refuses whatever leads out of the roots, or is no regular file', () => {
  const { directory, root, secret } = scene();
  using _ = directory;
  linkSync(secret, join(directory.path, 'hard.png'));
  const names = [
    secret,
    `${root}/../secret.png`,
    `${root}/link.png`,
    `${root}/out/secret.png`,
    `${root}/folder.png`,
  ];
  const odd = [
    `${root}/none.png`,
    'good.png',
    '/dev/null',
    '/proc/self/environ',
    root,
    `${root}/good.png\0.png`,
    '',
  ];
  for (const path of [...names, ...odd])
    expect(openMedia({ path }, accessTo(root)), path).toHaveProperty('refused');
});

it('does not take a directory for a root because its name begins like one', () => {
  using directory = temporaryDirectory();
  mkdirSync(join(directory.path, 'root-of-another'));
  mkdirSync(join(directory.path, 'root'));
  const file = join(directory.path, 'root-of-another', 'x.png');
  writeFileSync(file, 'x');
  expect(openMedia({ path: file }, accessTo(join(directory.path, 'root')))).toHaveProperty('refused');
});

it('lets the text of a message pass without the file that may not', () => {
  const { directory, root, secret } = scene();
  using _ = directory;
  const message: Event = {
    type: 'message',
    text: 'look',
    media: [
      { kind: 'image', path: join(root, 'good.png') },
      { kind: 'image', path: secret },
      { kind: 'image', path: join(root, 'none.png'), detected: true },
      { kind: 'image', url: 'https://example.test/x.png' },
    ],
  };
  expect(guardMedia([message], () => accessTo(root))).toEqual([
    {
      type: 'message',
      text: 'look',
      media: [
        { kind: 'image', path: join(root, 'good.png') },
        { kind: 'image', url: 'https://example.test/x.png' },
      ],
    },
    {
      type: 'message',
      text: expect.stringMatching(/^\[secret\.png was not attached: it lies outside .*"media_roots"\.\]$/),
      media: [],
    },
    { type: 'fault', fault: expect.objectContaining({ code: 'media-refused', excerpt: secret }) },
  ]);
});

it('hands out every file in the shell of a person', () => {
  const { directory, root, secret } = scene();
  using _ = directory;
  expect(isRefused(secret, accessTo(root))).toBe(true);
  expect(isRefused(secret, accessTo(root, { roots: 'everywhere' }))).toBe(false);
  expect(isRefused('/dev/null', accessTo(root, { roots: 'everywhere' }))).toBe(true);
});

it('never hands out what is withheld, by whatever path or link', () => {
  const { directory, root } = scene();
  using _ = directory;
  const data = join(root, 'data');
  mkdirSync(join(data, 'workspace'), { recursive: true });
  writeFileSync(join(data, 'gateway.json'), 'token');
  writeFileSync(join(data, 'workspace', 'made.png'), 'picture');
  writeFileSync(join(root, 'plugboard.yaml'), 'configuration');
  linkSync(join(data, 'gateway.json'), join(root, 'hard.png'));
  linkSync(join(root, 'plugboard.yaml'), join(root, 'other.png'));
  symlinkSync(data, join(root, 'elsewhere'));
  const withheld = [data, join(root, 'plugboard.yaml')];
  const access = accessTo(root, { withheld });
  for (const name of [
    'data/gateway.json',
    'elsewhere/gateway.json',
    'hard.png',
    'plugboard.yaml',
    'other.png',
  ])
    expect(isRefused(join(root, name), access), name).toBe(true);
  expect(isRefused(join(root, 'good.png'), access)).toBe(false);
  expect(isRefused(join(data, 'workspace', 'made.png'), access)).toBe(true);
  // An operator who puts a workspace below the data directory means it.
  const own = accessTo(join(data, 'workspace'), { withheld });
  expect(isRefused(join(data, 'workspace', 'made.png'), own)).toBe(false);
  expect(isRefused(join(data, 'gateway.json'), own)).toBe(true);
});

it('hands out a temporary file that the agent made during the turn, and no other', () => {
  const { directory, root, secret } = scene();
  using _ = directory;
  const temporary = directory.path;
  expect(isRefused(secret, accessTo(root, { temporary }))).toBe(false);
  expect(isRefused(secret, accessTo(root, { temporary, since: LATER }))).toBe(true);
  linkSync(secret, join(directory.path, 'second.png'));
  expect(isRefused(secret, accessTo(root, { temporary }))).toBe(true);
});

it('does not hand out a file because the agent repeats a path that the person named', () => {
  const began = Date.now();
  const { directory, root } = scene();
  using _ = directory;
  const good = join(root, 'good.png');
  const old = accessTo(root, { since: LATER });
  for (const said of [
    `look: ${good}`,
    `is it ${good}?`,
    `see ${root}/./folder.png/../good.png`,
    `${root}/inner.png`,
    `${good}${'.'.repeat(17)}`,
    `${good}${'!?'.repeat(500)}`,
    `x/:${good}`,
    `x/"${good}`,
  ])
    expect(isRefused(good, { ...old, said }, true), said).toBe(true);
  expect(isRefused(good, { ...old, said: 'where is my picture?' }, true)).toBe(false);
  // Named in a frame, it is the agent's own decision.
  expect(isRefused(good, { ...old, said: good })).toBe(false);
  expect(isRefused(good, { ...old, said: good, since: began }, true)).toBe(false);
  expect(isRefused(good, { ...old, said: good, ownDirectory: root }, true)).toBe(false);
});

it('does not hand out a file because the agent repeats the place, the sender or the name of a file', () => {
  const { directory, root } = scene();
  using _ = directory;
  const good = join(root, 'good.png');
  const turns = [
    createTurn({ id: '1', chatId: `${good} x` }),
    createTurn({ id: '1', sender: good }),
    createTurn({ id: '1', session: { key: 'k', name: good } }),
    createTurn({ id: '1', attachments: [{ kind: 'file', path: '/x', name: good }] }),
  ];
  for (const turn of turns) {
    const access = mediaAccessOf({ workspace: root } as Profile, {}, { turn, since: LATER });
    expect(isRefused(good, access, true), JSON.stringify(turn)).toBe(true);
  }
});

it('does not hand out what the system tells of processes, whatever the roots are', () => {
  const access = accessTo('/');
  for (const path of [
    '/proc/self/environ',
    `/proc/${process.pid}/environ`,
    '/proc/self/maps',
    '/proc/1/cmdline',
  ])
    expect(isRefused(path, access), path).toBe(true);
});

it('does not take a link in the place of a directory of a person for a root', () => {
  const { directory, root, secret } = scene();
  using _ = directory;
  mkdirSync(join(root, 'users', 'ada'), { recursive: true });
  symlinkSync(directory.path, join(root, 'users', 'evil'));
  writeFileSync(join(root, 'users', 'ada', 'own.png'), 'x');
  const accessOf = (own: string): MediaAccess =>
    mediaAccessOf(
      { workspace: root } as Profile,
      {},
      {
        turn: createTurn({ id: '1' }),
        launch: { command: { argv: ['x'] }, env: {}, ensureDirectory: own },
        since: LATER,
      },
    );
  expect(isRefused(secret, accessOf(join(root, 'users', 'evil')))).toBe(true);
  expect(accessOf(join(root, 'users', 'evil')).ownDirectory).toBeUndefined();
  expect(accessOf(join(root, 'users', 'ada')).ownDirectory).toBe(join(root, 'users', 'ada'));
  expect(isRefused(join(root, 'users', 'ada', 'own.png'), accessOf(join(root, 'users', 'ada')))).toBe(false);
  // Another host in front may name a directory elsewhere.
  expect(accessOf(directory.path).ownDirectory).toBe(directory.path);
});

it.runIf(process.platform === 'linux')('closes the descriptors of files that it refuses', () => {
  const { directory, root, secret } = scene();
  using _ = directory;
  const before = readdirSync('/proc/self/fd').length;
  for (let count = 0; count < 20; count++) expect(isRefused(secret, accessTo(root))).toBe(true);
  expect(readdirSync('/proc/self/fd').length).toBeLessThan(before + 20);
});

it('does not open a pipe, which would let its writer go on', async () => {
  const { directory, root } = scene();
  using _ = directory;
  const pipe = join(root, 'pipe.png');
  const writer = spawn('/bin/sh', ['-c', 'mkfifo "$0" && echo made && echo words > "$0"', pipe]);
  await once(writer.stdout, 'data');
  const ended = once(writer, 'exit');
  expect(isRefused(pipe, accessTo(root))).toBe(true);
  expect(await readFile(pipe, 'utf8')).toBe('words\n');
  expect(await ended).toEqual([0, null]);
});
