import type { Event } from '@plugboard/protocol';
import { expect, it } from 'vitest';
import { createStderrLog } from '../src/process/stderr-log.ts';

/** The lines that are told of what a process writes to stderr. */
function told(...chunks: (string | Buffer)[]): string[] {
  const events: Event[] = [];
  const log = createStderrLog((more) => events.push(...more));
  for (const chunk of chunks) log.onChunk(Buffer.from(chunk));
  log.finish();
  return events.map((event) => (event.type === 'log' ? event.text : event.type));
}

it('is told line by line, the last one also when it does not end', () => {
  expect(told('a\nb', 'c\n\nd')).toEqual(['a', 'bc', '', 'd']);
});

it('keeps the beginning of a line that is too long', () => {
  const [line = '', next] = told(`${'x'.repeat(100_000)}\nnext\n`);
  expect(line).toBe(`${'x'.repeat(16 * 1024)}…`);
  expect(next).toBe('next');
});

it('shows bytes that are no text as such, in their line', () => {
  expect(told(Buffer.from([0x61, 0xff, 0x62, 0x0a]))).toEqual(['a\uFFFDb']);
});

it('drops what nobody takes beyond a thousand lines, and says how many', () => {
  const events: Event[] = [];
  const log = createStderrLog((more) => events.push(...more));
  log.onChunk(Buffer.from('x\n'.repeat(1_500)));
  log.drained();
  expect(events).toHaveLength(1_001);
  expect(events.at(-1)).toMatchObject({ level: 'warning', text: '500 lines of stderr were dropped.' });
});
