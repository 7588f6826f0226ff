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
  it('begins after a second and takes itself away', () => {
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

  it('is cut to the width of the screen', () => {
    const { env, seen } = screen(true);
    const progress = startProgress(env, 'x'.repeat(100));
    vi.advanceTimersByTime(1_050);
    expect(seen()).toHaveLength(30);
    progress.end();
  });

  it('makes room for words, and waits for the end of their line', () => {
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

  it('holds everything back while somebody is asked', () => {
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
  it('is one line, and only when it takes long', () => {
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
