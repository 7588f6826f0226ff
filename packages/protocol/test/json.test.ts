import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_DEPTH, parseJson, repeatsKey } from '../src/framing/json.ts';

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe('parseJson', () => {
  it('takes the deepest JSON allowed and refuses one level more', () => {
    expect(parseJson(nested(MAX_DEPTH)).ok).toBe(true);
    expect(parseJson(nested(MAX_DEPTH + 1))).toMatchObject({ ok: false, fault: { code: 'too-deep' } });
  });

  it('refuses a depth bomb without parsing it', () => {
    const bomb = nested(20_000_000);
    const started = process.threadCpuUsage();
    expect(parseJson(bomb)).toMatchObject({ ok: false, fault: { code: 'too-deep' } });
    expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(1_000);
  });

  it('does not count brackets inside strings', () => {
    expect(parseJson(JSON.stringify({ text: '[{"\\'.repeat(500) })).ok).toBe(true);
  });

  it('does not count brackets that are closed again', () => {
    expect(parseJson(`[${Array(500).fill('[]').join(',')}]`).ok).toBe(true);
  });

  it('agrees with JSON.parse on whatever is not too deep', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json({ maxDepth: 5 }), fc.string()), (text) => {
        let expected: unknown;
        try {
          expected = { ok: true, value: JSON.parse(text) };
        } catch {
          expected = expect.objectContaining({ ok: false });
        }
        expect(parseJson(text)).toEqual(expected);
      }),
    );
  });

  it('keeps only an excerpt of what it refuses', () => {
    const parsed = parseJson(`{"a": ${'x'.repeat(100_000)}`);
    expect(parsed).toMatchObject({ ok: false, fault: { code: 'invalid-json' } });
    expect(JSON.stringify(parsed).length).toBeLessThan(600);
  });

  it('makes nothing of a __proto__ key but a key', () => {
    const parsed = parseJson('{"__proto__": {"polluted": true}}');
    expect(parsed.ok && Object.hasOwn(parsed.value as object, '__proto__')).toBe(true);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe('repeatsKey', () => {
  it.each([
    ['{"type":1,"type":2}', true],
    ['{"type":1, "x":{"type":2}}', false],
    ['{"type":1,"text":"\\"type\\":2"}', false],
    ['{"text":"\\"","type":1,"type" : 2}', true],
    ['{"a":"type","type":1}', false],
    ['{"x":["type"],"type":1}', false],
    ['{}', false],
    ['{"type":"log","text":"x","\\u0074ype":"message"}', true],
    ['{"\\u0074ype":1,"typ\\u0065":2}', true],
    ['{"\\u0074ype":1,"text":"\\u0000"}', false],
    ['{"type":1,"text":"\\u0074ype"}', false],
    ['{"type":1,"x":{"\\u0074ype":2}}', false],
    ['{"type":1,"\\u0074ypes":2}', false],
    [`{"type":1,"type"${' '.repeat(40)}:2}`, true],
    ['{"type":1,"types":2,"x":"type"}', false],
  ])('of %s is %s', (text, expected) => expect(repeatsKey(text, 'type')).toBe(expected));

  it('is told in time that grows with the text', () => {
    const started = process.threadCpuUsage();
    expect(repeatsKey(`{"type":1${',"\\u0074":"\\u0074ype"'.repeat(50_000)}}`, 'type')).toBe(false);
    expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(1_000);
  });
});
