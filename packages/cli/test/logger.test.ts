import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createLogSink } from '../src/gateway/log-sink.ts';
import { createLogger, type LoggerOptions } from '../src/gateway/logger.ts';

function logged(options: Partial<LoggerOptions> = {}) {
  const lines: string[] = [];
  const log = createLogger({
    level: () => 'info',
    format: () => 'text',
    write: (line) => void lines.push(line),
    now: () => new Date(0),
    ...options,
  });
  return { log, lines };
}

describe('the log', () => {
  it('is a line for each record, whatever was said in it', () => {
    const { log, lines } = logged();
    log.info('one\ntwo\u001b[31m', { path: 'a\nb' });
    log.debug('not worth a line');
    expect(lines).toEqual(['1970-01-01T00:00:00.000Z info  one\\u000atwo\\u001b[31m path="a\\nb"\n']);
  });

  it('is JSON for programs', () => {
    const { log, lines } = logged({ format: () => 'json' });
    log.warn('careful', { turn: 't' });
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { time: '1970-01-01T00:00:00.000Z', level: 'warn', message: 'careful', turn: 't' },
    ]);
  });

  it.each([
    'pb_abcdefghijklmnopqrstuvwxyz',
    'sk-abcdefghijklmnopqrstuvwxyz',
    'ghp_abcdefghijklmnopqrstuvwxyz',
    'xoxb-1234567890-abc',
    '123456789:ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghi',
  ])('holds no key: %s', (key) => {
    const { log, lines } = logged();
    log.error(`It said ${key}.`, { address: `https://user:${key}@host/?token=${key}` });
    expect(lines.join()).not.toContain(key);
    expect(lines.join()).toContain('[secret]');
  });
});

it('a log that nobody takes is bounded, and says what was left out', () => {
  const taken: string[] = [];
  let take: (() => void) | undefined;
  const output = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      taken.push(chunk);
      take = done;
    },
  });
  const write = createLogSink(output);
  const line = `${'x'.repeat(100_000)}\n`;
  for (let count = 0; count < 20; count += 1) write(line);
  expect(output.writableLength).toBeLessThan(1_300_000);
  while (output.writableLength > 0) take?.();
  write('back\n');
  while (output.writableLength > 0) take?.();
  expect(taken.slice(-2)).toEqual([
    expect.stringMatching(/^\(\d+ lines were left out here\.\)\n$/),
    'back\n',
  ]);
});
