import { buffer } from 'node:stream/consumers';
import { createRandom } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { MediaFiles } from '../../../src/media/media-files.ts';

export async function* pieces(...parts: (Uint8Array | Error)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    yield part;
  }
}

/** Bytes that no compression and no shift leaves the same. */
export function noise(size: number): Buffer {
  const random = createRandom(size);
  const block = Buffer.from(Array.from({ length: 65_537 }, () => Math.floor(random() * 256)));
  return Buffer.alloc(size, block);
}

export function inPieces(bytes: Buffer, size = 65_536): AsyncGenerator<Uint8Array> {
  return pieces(
    ...Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    ),
  );
}

export async function namesIn(files: MediaFiles): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of files.list()) names.push(name);
  return names.sort();
}

async function read(
  files: MediaFiles,
  name: string,
  range?: { start: number; end: number },
): Promise<Buffer | undefined> {
  const opened = await files.open(name, range);
  return opened === undefined ? undefined : buffer(opened);
}

/** What every place for files has to do. `largest` is a size that the place takes. */
export function describeMediaFiles(name: string, open: () => Promise<MediaFiles>, largest: number): void {
  describe(`files in ${name}`, () => {
    it.each([0, 1, 31, 65_536, 1_000_000, largest])(
      'are read as they were stored: %d bytes',
      async (size) => {
        const files = await open();
        const bytes = noise(size);
        await files.put('a.bin', inPieces(bytes));
        expect((await read(files, 'a.bin'))?.equals(bytes)).toBe(true);
      },
    );

    it('are opened by ranges', async () => {
      const files = await open();
      const bytes = noise(300_000);
      await files.put('a.bin', inPieces(bytes));
      for (const [start, end] of [
        [0, 0],
        [0, 99],
        [70_000, 200_000],
        [299_999, 299_999],
      ] as const)
        expect((await read(files, 'a.bin', { start, end }))?.equals(bytes.subarray(start, end + 1))).toBe(
          true,
        );
    });

    it('that are not there are told, and removing them is no error', async () => {
      const files = await open();
      expect(await files.open('nothing.bin')).toBeUndefined();
      expect(await files.open('nothing.bin', { start: 0, end: 9 })).toBeUndefined();
      await files.remove('nothing.bin');
    });

    it('are gone after they were removed', async () => {
      const files = await open();
      await files.put('a.bin', pieces(Buffer.from('a')));
      await files.put('b.bin', pieces(Buffer.from('b')));
      await files.remove('a.bin');
      expect(await files.open('a.bin')).toBeUndefined();
      expect(await namesIn(files)).toEqual(['b.bin']);
    });

    it.each([0, 1, 100_000, largest])(
      'cannot be read when their upload is cut after %d bytes',
      async (size) => {
        const files = await open();
        const cut = new Error('The connection was lost.');
        await expect(files.put('a.bin', pieces(noise(size), cut))).rejects.toBe(cut);
        expect(await files.open('a.bin')).toBeUndefined();
        expect(await namesIn(files)).toEqual([]);
      },
    );

    it('are listed with their times, however many there are', async () => {
      const files = await open();
      const before = Date.now();
      const names = ['a.bin', 'b&b.bin', 'c.bin', 'd.bin', 'e.bin', 'f.bin', 'g.bin'];
      for (const one of names) await files.put(one, pieces(Buffer.from(one)));
      expect(await namesIn(files)).toEqual(names);
      for await (const { at, isPartial } of files.list()) {
        expect(Math.abs(at - before)).toBeLessThan(60_000);
        expect(isPartial).toBe(false);
      }
    });

    it('can be given up in the middle of reading', async () => {
      const files = await open();
      await files.put('a.bin', inPieces(noise(largest)));
      const opened = await files.open('a.bin');
      for await (const _piece of opened ?? []) break;
      expect(opened?.destroyed).toBe(true);
      await files.remove('a.bin');
    });

    it('are checked without a file that stays', async () => {
      const files = await open();
      await files.check();
      expect(await namesIn(files)).toEqual([]);
    });
  });
}
