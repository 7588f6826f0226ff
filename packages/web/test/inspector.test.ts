import type { TurnRecord } from '@plugboard/client';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alignRecord, readFrame, spanOf, timingsOf } from '../src/inspector/align.ts';
import { diffLines } from '../src/text/diff.ts';

const END = { type: 'end', outcome: 'success', text: '' } as const;

const RECORD: TurnRecord = {
  turn: {
    id: 't',
    sessionId: 's',
    agent: 'a',
    messageId: null,
    state: 'success',
    startedAt: 0,
    endedAt: 60,
    end: END,
    recorded: true,
  },
  dialect: 'nib',
  complete: true,
  frames: [
    { at: 1, stream: 'stdin', text: 'hello\n' },
    { at: 10, stream: 'stdout', text: 'one\ntwo\n' },
    { at: 20.5, stream: 'stderr', base64: '/w==' },
    { at: 30, stream: 'stdout', text: 'half' },
  ],
  exit: { at: 50, code: 0, signal: null },
  events: [
    { at: 0.5, number: 1, event: { type: 'accepted' } },
    { at: 10, number: 2, event: { type: 'delta', kind: 'output', text: 'one' } },
    { at: 10.2, number: 3, event: { type: 'delta', kind: 'output', text: 'two' } },
    { at: 50.1, number: 4, event: { type: 'end', outcome: 'success', text: '' } },
  ],
};

describe('a record', () => {
  it('puts events beside the frame they came after', () => {
    const rows = alignRecord(RECORD).map((row) => [
      row.at,
      row.frame?.stream ?? row.exit?.code ?? null,
      row.events.map(({ number }) => number),
    ]);
    expect(rows).toEqual([
      [0.5, null, [1]],
      [1, 'stdin', []],
      [10, 'stdout', [2, 3]],
      [20.5, 'stderr', []],
      [30, 'stdout', []],
      [50, 0, [4]],
    ]);
  });

  it('loses no event and no frame, whatever the times', () => {
    const at = fc.float({ min: 0, max: 100, noNaN: true });
    fc.assert(
      fc.property(fc.array(at), fc.array(at), (frameTimes, eventTimes) => {
        const frames = frameTimes.map((time) => ({ at: time, stream: 'stdout', text: 'x' }) as const);
        const events = eventTimes
          .sort((a, b) => a - b)
          .map((time, number) => ({ at: time, number, event: { type: 'accepted' } as const }));
        const rows = alignRecord({ ...RECORD, frames, events });
        expect(rows.flatMap((row) => row.events)).toEqual(events);
        expect(rows.filter((row) => row.frame !== null)).toHaveLength(frames.length);
      }),
    );
  });

  it('shows frames by lines, and whether the last one was ended', () => {
    expect(readFrame({ at: 0, stream: 'stdout', text: 'one\ntwo\n' })).toMatchObject({
      lines: ['one', 'two'],
      ended: true,
      bytes: 8,
    });
    expect(readFrame({ at: 0, stream: 'stdout', text: 'hä' })).toMatchObject({
      lines: ['hä'],
      ended: false,
      bytes: 3,
    });
    expect(readFrame({ at: 0, stream: 'stdout', base64: '/w==' })).toMatchObject({
      lines: ['⟨FF⟩'],
      bytes: 1,
    });
  });

  it('tells how long things took', () => {
    expect(timingsOf(RECORD)).toEqual({ firstFrame: 10, firstEvent: 0.5, total: 60 });
  });

  it('tells the whole time by the clock of the gateway, whatever the agent counted', () => {
    const turn = { ...RECORD.turn, startedAt: 1_000, endedAt: 3_000, end: { ...END, durationMs: 1 } };
    expect(timingsOf({ ...RECORD, turn }).total).toBe(2_000);
  });

  it('tells no time of a turn that ended while nobody looked', () => {
    const lost = {
      ...RECORD.turn,
      state: 'interrupted',
      startedAt: 0,
      endedAt: 3_600_000,
      end: null,
    } as const;
    expect(timingsOf({ ...RECORD, turn: lost, exit: null }).total).toBeNull();
    expect(spanOf(lost)).toBeNull();
    expect(spanOf({ ...lost, state: 'error' })).toBe(3_600_000);
  });
});

describe('a comparison', () => {
  it('shows what is gone and what is new', () => {
    expect(diffLines(['a', 'b', 'c'], ['a', 'x', 'c', 'd'])).toEqual([
      { kind: 'same', text: 'a' },
      { kind: 'gone', text: 'b' },
      { kind: 'new', text: 'x' },
      { kind: 'same', text: 'c' },
      { kind: 'new', text: 'd' },
    ]);
  });

  it('holds both sides whole', () => {
    const line = fc.constantFrom('a', 'b', 'c');
    fc.assert(
      fc.property(fc.array(line), fc.array(line), (before, after) => {
        const lines = diffLines(before, after);
        expect(lines.filter(({ kind }) => kind !== 'new').map(({ text }) => text)).toEqual(before);
        expect(lines.filter(({ kind }) => kind !== 'gone').map(({ text }) => text)).toEqual(after);
      }),
    );
  });
});
