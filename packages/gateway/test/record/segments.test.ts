import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { onTestEnd, temporaryDirectory } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { createSegments } from '../../src/record/segments.ts';
import type { TurnRecording } from '../../src/record/turn-recorder.ts';

const recording = (turnId: string, text = 'hello'): TurnRecording => ({
  turnId,
  dialect: 'terminal',
  agent: 'echo',
  complete: true,
  entries: [{ type: 'bytes', at: 1, stream: 'stdout', text }],
});

const nameOf = (at: number): string => `turn-${String(at).padStart(5, '0')}`;

describe('recordings', () => {
  it('are there at once, and after a restart', async () => {
    using home = temporaryDirectory();
    const first = createSegments(home.path, 200);
    first.add('turn-1', recording('turn-1'));
    expect(await first.read('turn-1')).toEqual(recording('turn-1'));
    await first.close();
    const second = createSegments(home.path, 200);
    expect(second.has('turn-1')).toBe(true);
    expect(await second.read('turn-1')).toEqual(recording('turn-1'));
    expect(await second.read('turn-2')).toBeUndefined();
    await second.close();
  });

  it('go, oldest first, when there are too many', async () => {
    using home = temporaryDirectory();
    const segments = createSegments(home.path, 64);
    for (let at = 0; at < 300; at++) segments.add(nameOf(at), recording(nameOf(at)));
    await segments.close();
    expect(segments.has(nameOf(0))).toBe(false);
    expect(segments.has(nameOf(299))).toBe(true);
    expect(readdirSync(home.path).length).toBeLessThanOrEqual(2);
  });

  it('survive one that was cut off by a crash, before and after it', async () => {
    using home = temporaryDirectory();
    const first = createSegments(home.path, 200);
    first.add('turn-1', recording('turn-1'));
    await first.close();
    appendFileSync(join(home.path, 'turn-1.jsonl'), '{"turnId":"turn-2","dialect":"term');
    const second = createSegments(home.path, 200);
    second.add('turn-3', recording('turn-3'));
    await second.close();
    const third = createSegments(home.path, 200);
    expect(await third.read('turn-1')).toEqual(recording('turn-1'));
    expect(await third.read('turn-2')).toBeUndefined();
    expect(await third.read('turn-3')).toEqual(recording('turn-3'));
    await third.close();
  });

  it('can be read by us alone, whatever the process lets others do', async () => {
    const before = process.umask(0);
    onTestEnd(() => void process.umask(before));
    using home = temporaryDirectory();
    const directory = join(home.path, 'recordings');
    mkdirSync(directory);
    chmodSync(directory, 0o755);
    const segments = createSegments(directory, 200);
    segments.add('turn-1', recording('turn-1'));
    await segments.close();
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(join(directory, 'turn-1.jsonl')).mode & 0o777).toBe(0o600);
  });

  it('hold whatever was said, one to a line', async () => {
    using home = temporaryDirectory();
    const text = 'a\n{"turnId":"turn-9"}\r\u2028"';
    const segments = createSegments(home.path, 200);
    segments.add('turn-1', recording('turn-1', text));
    await segments.close();
    const again = createSegments(home.path, 200);
    expect(again.has('turn-9')).toBe(false);
    expect(await again.read('turn-1')).toEqual(recording('turn-1', text));
    await again.close();
  });
});

/** Every byte in a directory. */
const bytesIn = (directory: string): string =>
  readdirSync(directory)
    .map((name) => readFileSync(join(directory, name), 'utf8'))
    .join('');

describe('a recording that is to be forgotten', () => {
  const isKept = async (turnId: string): Promise<boolean> => !turnId.endsWith('3');

  it('leaves nothing on the disk, and the others stay', async () => {
    using home = temporaryDirectory();
    const segments = createSegments(home.path, 200);
    for (let at = 0; at < 100; at++) segments.add(nameOf(at), recording(nameOf(at), `text ${at}.`));
    await segments.close();
    expect(bytesIn(home.path)).toContain('text 13.');
    expect(await segments.forget(isKept)).toBe(10);
    expect(bytesIn(home.path)).not.toContain('text 13.');
    expect(segments.has(nameOf(13))).toBe(false);
    expect(await segments.read(nameOf(14))).toEqual(recording(nameOf(14), 'text 14.'));
    const again = createSegments(home.path, 200);
    expect(again.has(nameOf(13))).toBe(false);
    expect(await again.read(nameOf(99))).toEqual(recording(nameOf(99), 'text 99.'));
    expect(await again.forget(isKept)).toBe(0);
    await again.close();
  });

  it('leaves nothing on the disk also while it is on its way there', async () => {
    using home = temporaryDirectory();
    const segments = createSegments(home.path, 200);
    for (const at of [1, 2, 3]) segments.add(nameOf(at), recording(nameOf(at), `text ${at}.`));
    const closed = segments.close();
    segments.add(nameOf(13), recording(nameOf(13), 'text 13.'));
    await segments.forget(isKept);
    await closed;
    await segments.close();
    expect(bytesIn(home.path)).not.toMatch(/text 1?3\./);
    expect(bytesIn(home.path)).toContain('text 1.');
    expect(bytesIn(home.path)).toContain('text 2.');
  });

  it('takes its file with it when it was the last in it, and another begins', async () => {
    using home = temporaryDirectory();
    const segments = createSegments(home.path, 200);
    segments.add('turn-3', recording('turn-3'));
    await segments.close();
    await segments.forget(isKept);
    expect(readdirSync(home.path)).toEqual([]);
    segments.add('turn-4', recording('turn-4'));
    await segments.close();
    expect(readdirSync(home.path)).toEqual(['turn-4.jsonl']);
  });

  it('is not kept by half a line, nor by a file that was half written', async () => {
    using home = temporaryDirectory();
    const first = createSegments(home.path, 200);
    first.add('turn-1', recording('turn-1'));
    await first.close();
    appendFileSync(join(home.path, 'turn-1.jsonl'), '{"turnId":"turn-3","entries":[{"text":"secret');
    writeFileSync(join(home.path, 'turn-1.jsonl.next'), '{"turnId":"turn-3","entries":[{"text":"secret');
    await createSegments(home.path, 200).close();
    expect(bytesIn(home.path)).not.toContain('secret');
    expect(readdirSync(home.path)).toEqual(['turn-1.jsonl']);
  });

  it('is one of all when none are kept any more', async () => {
    using home = temporaryDirectory();
    const first = createSegments(home.path, 200);
    first.add('turn-1', recording('turn-1'));
    await first.close();
    await createSegments(home.path, 0).close();
    expect(readdirSync(home.path)).toEqual([]);
  });
});
