import { describe, expect, it } from 'vitest';
import { useServer } from './server.ts';

const its = useServer({ durable: false });

async function open() {
  const url = await its.server.createDatabase();
  const store = await its.open(url);
  if (store.smallFiles === undefined) throw new Error('The driver has no place for files.');
  return { url, files: store.smallFiles };
}

describe('files in Postgres', () => {
  it('are read as they were written, whole and by ranges', async () => {
    const { files } = await open();
    const bytes = Buffer.from(Array.from({ length: files.limit }, (_, at) => (at * 7) % 256));
    await files.put('a.bin', bytes);
    expect(bytes.equals((await files.read('a.bin')) ?? Buffer.of())).toBe(true);
    for (const [start, end] of [
      [0, 0],
      [1_000, 70_000],
      [files.limit - 1, files.limit - 1],
    ] as const)
      expect(
        bytes.subarray(start, end + 1).equals((await files.read('a.bin', { start, end })) ?? Buffer.of()),
      ).toBe(true);
    expect(await files.read('b.bin')).toBeUndefined();
    await expect(files.put('a.bin', bytes)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('are listed page by page, and gone for every node once removed', async () => {
    const { url, files } = await open();
    for (const name of ['c', 'a', 'b']) await files.put(name, Buffer.from(name));
    const first = await files.list({ after: '', limit: 2 });
    expect(first.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(first[0]?.at).toBeGreaterThan(Date.now() - 60_000);
    expect((await files.list({ after: 'b', limit: 2 })).map(({ name }) => name)).toEqual(['c']);
    await files.remove('a');
    await files.remove('a');
    const other = await its.open(url);
    expect(await other.smallFiles?.read('a')).toBeUndefined();
    expect(Buffer.from((await other.smallFiles?.read('b')) ?? []).toString()).toBe('b');
  });
});
