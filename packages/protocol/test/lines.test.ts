import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLines, endBytes, type LineFault, pushBytes } from '../src/framing/lines.ts';

const codec = {
  decode: (bytes: Uint8Array) => new TextDecoder().decode(bytes),
  isValid(bytes: Uint8Array) {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      return true;
    } catch {
      return false;
    }
  },
};

function split(parts: readonly Uint8Array[], limit = 1 << 20): { lines: string[]; faults: LineFault[] } {
  const lines: string[] = [];
  const faults: LineFault[] = [];
  const sink = {
    onLine: (line: string) => lines.push(line),
    onFault: (code: LineFault) => faults.push(code),
  };
  const state = createLines(codec, limit);
  for (const part of parts) pushBytes(state, part, sink);
  endBytes(state, sink);
  return { lines, faults };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Cuts bytes at every given place, inside characters and line ends too. */
function cut(whole: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ordered = [...new Set(places.map((place) => place % (whole.length + 1)))].sort((a, b) => a - b);
  return [...ordered, whole.length].map((to, index) =>
    whole.subarray(index === 0 ? 0 : ordered[index - 1], to),
  );
}

describe('lines', () => {
  it('end at LF alone, so that other separators stay inside', () => {
    const text = 'a\u2028b\u2029c\u0085d\re\nf';
    expect(split([bytes(text)]).lines).toEqual(['a\u2028b\u2029c\u0085d\re', 'f']);
  });

  it('lose one CR before LF, also when the two come in different chunks', () => {
    expect(split([bytes('a\r'), bytes('\nb\r\r\n')]).lines).toEqual(['a', 'b\r']);
  });

  it('keep empty lines and give an unfinished last one', () => {
    expect(split([bytes('\n\nx\n\ny')]).lines).toEqual(['', '', 'x', '', 'y']);
    expect(split([bytes('x\n')]).lines).toEqual(['x']);
    expect(split([]).lines).toEqual([]);
  });

  it('are the same however the bytes are cut', () => {
    const text = fc.array(
      fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\n', '\r\n', 'é', '😀', '\u2028')),
    );
    fc.assert(
      fc.property(text, fc.array(fc.nat(500)), (parts, places) => {
        const whole = bytes(parts.join('').toWellFormed());
        expect(split(cut(whole, places))).toEqual(split([whole]));
      }),
    );
  });

  it('are dropped whole when they pass the limit, and the next one is read', () => {
    const long = 'x'.repeat(5_000);
    expect(split([bytes(`a\n${long}`), bytes(`${long}\nb\n`)], 4_096)).toEqual({
      lines: ['a', 'b'],
      faults: ['line-too-long'],
    });
    expect(split([bytes(`a\n${long}\nb\n`)], 4_096).lines).toEqual(['a', 'b']);
  });

  it('are measured in bytes before the line feed, however those are cut', () => {
    expect(split([bytes('ééé\nabc\n')], 4)).toEqual({ lines: ['abc'], faults: ['line-too-long'] });
    expect(split([bytes('éé\nabc\r\n')], 4).lines).toEqual(['éé', 'abc']);
    const text = fc.array(fc.constantFrom('a', 'é', '€', '😀', '\r', '\n', '\n'), { maxLength: 60 });
    fc.assert(
      fc.property(text, fc.array(fc.nat(200)), fc.integer({ min: 1, max: 12 }), (parts, places, limit) => {
        const whole = bytes(parts.join(''));
        expect(split(cut(whole, places), limit)).toEqual(split([whole], limit));
      }),
      { numRuns: 500 },
    );
  });

  it('are few pieces, so that one written byte by byte takes no more memory than its bytes', () => {
    const state = createLines(codec, 1 << 20);
    const lines: string[] = [];
    const sink = { onLine: (line: string) => lines.push(line), onFault: () => {} };
    for (let count = 0; count < 100_000; count++) pushBytes(state, bytes(String(count % 10)), sink);
    expect(state.blocks.length + state.pending.length).toBeLessThan(2_000);

    pushBytes(state, bytes('\n'), sink);
    expect(lines).toEqual(['0123456789'.repeat(10_000)]);
  });

  it('give their beginning to whoever wants it, in whole characters and however they are cut', () => {
    const heads = (parts: readonly Uint8Array[], limit: number): string[] => {
      const seen: string[] = [];
      const sink = { onLine: () => {}, onHead: (head: string) => seen.push(head), onFault: () => {} };
      const state = createLines(codec, limit);
      for (const part of parts) pushBytes(state, part, sink);
      endBytes(state, sink);
      return seen;
    };
    expect(heads([bytes('abcdef\nab\nfedcba\n')], 3)).toEqual(['abc', 'fed']);
    expect(heads([bytes('aéé\n')], 4)).toEqual(['aé']);
    expect(heads([bytes('a😀\n')], 4)).toEqual(['a']);
    fc.assert(
      fc.property(fc.array(fc.nat(200)), fc.integer({ min: 1, max: 12 }), (places, limit) => {
        const whole = bytes('añ😀bcdefgh\nñññññññññ\n😀😀😀😀\nlast one is long');
        expect(heads(cut(whole, places), limit)).toEqual(heads([whole], limit));
      }),
    );
  });

  it('are never gathered beyond the limit, however long they get', () => {
    const state = createLines(codec, 1_000);
    const sink = { onLine: () => {}, onFault: () => {} };
    for (let count = 0; count < 1_000; count++) {
      pushBytes(state, bytes('y'.repeat(400)), sink);
      expect(state.pendingBytes).toBeLessThanOrEqual(1_000);
    }
  });

  it('cost time in proportion to their length', () => {
    const part = bytes('z'.repeat(4_096));
    const time = (count: number): number => {
      const started = process.threadCpuUsage();
      split(
        Array.from({ length: count }, () => part),
        1 << 30,
      );
      return process.threadCpuUsage(started).user / 1_000;
    };
    const best = (count: number): number => Math.min(time(count), time(count), time(count));
    // Eight times the length may take up to thirty times as long on a busy machine; quadratic would be 64. The clock of the processor
    // moves by 10 ms on some systems.
    expect(best(16_000)).toBeLessThan(30 * Math.max(best(2_000), 10));
  });

  it('report bytes that are not UTF-8, and not a replacement character that was really sent', () => {
    expect(split([new Uint8Array([0x61, 0xff, 0x62, 0x0a])])).toEqual({
      lines: ['a\uFFFDb'],
      faults: ['invalid-utf8'],
    });
    expect(split([bytes('a\uFFFDb\n')])).toEqual({ lines: ['a\uFFFDb'], faults: [] });
  });

  it('keep NUL', () => expect(split([bytes('a\0b\n')]).lines).toEqual(['a\0b']));
});
