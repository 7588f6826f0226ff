import { closeSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Event } from '@plugboard/protocol';
import { temporaryDirectory } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { guardMedia } from '../src/media/guard.ts';
import { openMedia } from '../src/media/open.ts';

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
    const opened = openMedia(join(root, name), [root]);
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
  for (const path of [...names, ...odd]) expect(openMedia(path, [root]), path).toHaveProperty('refused');
});

it('does not take a directory for a root because its name begins like one', () => {
  using directory = temporaryDirectory();
  mkdirSync(join(directory.path, 'root-of-another'));
  mkdirSync(join(directory.path, 'root'));
  const file = join(directory.path, 'root-of-another', 'x.png');
  writeFileSync(file, 'x');
  expect(openMedia(file, [join(directory.path, 'root')])).toHaveProperty('refused');
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
  expect(guardMedia([message], [root])).toEqual([
    { type: 'fault', fault: expect.objectContaining({ code: 'media-refused', excerpt: secret }) },
    {
      type: 'message',
      text: 'look',
      media: [
        { kind: 'image', path: join(root, 'good.png') },
        { kind: 'image', url: 'https://example.test/x.png' },
      ],
    },
  ]);
});
