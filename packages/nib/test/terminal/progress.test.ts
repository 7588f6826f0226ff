import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Env } from '../../src/env.ts';
import { startProgress } from '../../src/terminal/progress.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function screen(err: boolean) {
  let seen = '';
  const env = {
    screen: { out: false, err, columns: () => 30 },
    now: () => Date.now(),
    err: (text: string) => {
      seen += text;
    },
  } as unknown as Env;
  return { env, seen: () => seen.replaceAll('\r\u001B[2K', '<') };
}

describe('progress on a terminal', () => {
  it('progress on a terminal begins after a second and is removed at the end', () => {
    const { env, seen } = screen(true);
    const progress = startProgress(env, 'Reading');
    vi.advanceTimersByTime(950);
    expect(seen()).toBe('');
    vi.advanceTimersByTime(150);
    expect(seen()).toMatch(/^<. Reading \(1 s\)/);
    progress.end();
    expect(seen()).toMatch(/<$/);
    vi.advanceTimersByTime(5_000);
    expect(seen()).toMatch(/\)<$/);
  });

  it('progress on a terminal is cut to its width', () => {
    const { env, seen } = screen(true);
    const progress = startProgress(env, 'x'.repeat(100));
    vi.advanceTimersByTime(1_050);
    expect(seen()).toHaveLength(30);
    progress.end();
  });

  it('progress on a terminal makes room for other output, and waits for its line end', () => {
    const { env, seen } = screen(true);
    const progress = startProgress(env, 'Reading');
    vi.advanceTimersByTime(1_050);
    progress.say('half');
    const before = seen();
    expect(before).toMatch(/<half$/);
    vi.advanceTimersByTime(1_000);
    expect(seen()).toBe(before);
    progress.say(' done\n');
    vi.advanceTimersByTime(100);
    expect(seen()).toMatch(/half done\n<. Reading/);
    progress.say('last');
    progress.end();
    expect(seen()).toMatch(/<last\n$/);
  });

  it('progress on a terminal holds output back during a question', () => {
    const { env, seen } = screen(true);
    const progress = startProgress(env, 'Reading');
    progress.pause();
    progress.say('words\n');
    vi.advanceTimersByTime(3_000);
    expect(seen()).toBe('');
    progress.resume();
    expect(seen()).toBe('words\n');
    progress.end();
  });
});

describe('progress elsewhere', () => {
  it('progress without a terminal is one line, after five seconds', () => {
    const { env, seen } = screen(false);
    const short = startProgress(env, 'Reading');
    vi.advanceTimersByTime(4_000);
    short.end();
    vi.advanceTimersByTime(4_000);
    expect(seen()).toBe('');
    const long = startProgress(env, 'Reading');
    long.label('Reading on');
    long.say('words\n');
    vi.advanceTimersByTime(60_000);
    long.end();
    expect(seen()).toBe('words\nReading on …\n');
  });
});
