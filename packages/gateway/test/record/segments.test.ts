import { appendFileSync, chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@plugboard/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { TurnRecording } from '../../src/record/recordings.ts';
import { createSegments } from '../../src/record/segments.ts';

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
    onTestFinished(() => void process.umask(before));
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
