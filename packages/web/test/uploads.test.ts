import { createNetworkError, createRefusal, type MediaView } from '@plugboard/client';
import { describe, expect, it } from 'vitest';
import type { Transfer } from '../src/api/transfer.ts';
import { findObstacle } from '../src/state/upload.ts';
import { createUploads, type Uploads } from '../src/state/uploads.ts';

const file = (name: string, size = 10): File => new File(['x'.repeat(size)], name, { type: 'text/plain' });

const media = (name: string): MediaView => ({
  id: name,
  name,
  type: 'text/plain',
  kind: 'file',
  size: 10,
  url: `/api/media/${name}`,
});

interface Sending extends Transfer {
  readonly name: string;
  succeed(): void;
  fail(error: Error): void;
}

/** Uploads whose network is in the hands of the test. */
function stage(): { uploads: Uploads; sending: Sending[] } {
  const sending: Sending[] = [];
  const uploads = createUploads(({ name }, options) => {
    const { promise, resolve, reject } = Promise.withResolvers<MediaView>();
    options.signal.addEventListener('abort', () => reject(options.signal.reason));
    sending.push({ ...options, name, succeed: () => resolve(media(name)), fail: reject });
    return promise;
  });
  return { uploads, sending };
}

const states = ({ store }: Uploads): string[] =>
  store.get().map(({ file: { name }, state }) => `${name} ${state}`);
const keyOf = ({ store }: Uploads, name: string): string =>
  store.get().find((upload) => upload.file.name === name)?.key ?? '';

describe('files that go with a message', () => {
  it('are uploaded two at a time, in their order', async () => {
    const { uploads, sending } = stage();
    uploads.add([file('a'), file('b'), file('c')]);
    expect(states(uploads)).toEqual(['a sending', 'b sending', 'c waiting']);
    sending[1]?.succeed();
    await expect.poll(() => states(uploads)).toEqual(['a sending', 'b done', 'c sending']);
    expect(findObstacle(uploads.store.get())).toBe('busy');
    for (const one of sending) one.succeed();
    await expect.poll(() => findObstacle(uploads.store.get())).toBeNull();
    expect(uploads.store.get().map((upload) => upload.media?.id)).toEqual(['a', 'b', 'c']);
  });

  it('tell how far they are', () => {
    const { uploads, sending } = stage();
    uploads.add([file('a')]);
    sending[0]?.onSent(7);
    expect(uploads.store.get()[0]?.sent).toBe(7);
  });

  it('stop on their way when they are taken out, and make room for the next', async () => {
    const { uploads, sending } = stage();
    uploads.add([file('a'), file('b'), file('c')]);
    uploads.remove(keyOf(uploads, 'a'));
    expect(sending[0]?.signal.aborted).toBe(true);
    await expect.poll(() => states(uploads)).toEqual(['b sending', 'c sending']);
  });

  it('say why they failed, hold the message back, and can be tried again', async () => {
    const { uploads, sending } = stage();
    uploads.add([file('a')]);
    sending[0]?.onSent(5);
    sending[0]?.fail(createRefusal(507, { error: { code: 'full', message: 'The disk is full.' } }));
    await expect.poll(() => states(uploads)).toEqual(['a failed']);
    expect(uploads.store.get()[0]?.problem).toBe('The disk is full.');
    expect(findObstacle(uploads.store.get())).toBe('failed');
    uploads.again(keyOf(uploads, 'a'));
    expect(uploads.store.get()[0]).toMatchObject({ state: 'sending', sent: 0, problem: null });
    sending[1]?.succeed();
    await expect.poll(() => states(uploads)).toEqual(['a done']);
  });

  it('that cannot be read say so, and not that the network is gone', async () => {
    const { uploads, sending } = stage();
    const folder = file('folder');
    folder.slice = () => ({ arrayBuffer: () => Promise.reject(new Error('NotReadable')) }) as unknown as Blob;
    uploads.add([folder, file('b')]);
    for (const one of sending) one.fail(createNetworkError());
    await expect.poll(() => states(uploads)).toEqual(['folder failed', 'b failed']);
    expect(uploads.store.get().map(({ problem }) => problem)).toEqual([
      expect.stringContaining('cannot be read'),
      'The gateway cannot be reached.',
    ]);
  });

  it('are refused before they are sent when they are too large or too many', () => {
    const { uploads, sending } = stage();
    const large = file('large');
    Object.defineProperty(large, 'size', { value: 26 * 1024 * 1024 });
    uploads.add([large, ...Array.from({ length: 20 }, (_, index) => file(`${index}`))]);
    expect(sending).toHaveLength(2);
    const refused = uploads.store.get().filter(({ state }) => state === 'refused');
    expect(refused.map(({ problem }) => problem)).toEqual(['Larger than 25 MiB', 'A message takes 20 files']);
  });

  it('are forgotten once they are sent', async () => {
    const { uploads, sending } = stage();
    uploads.add([file('a')]);
    sending[0]?.succeed();
    await expect.poll(() => states(uploads)).toEqual(['a done']);
    uploads.clear();
    expect(uploads.store.get()).toEqual([]);
  });
});
