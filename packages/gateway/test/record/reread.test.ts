import type { RecordedEntry } from '@plugboard/host';
import { expect, it } from 'vitest';
import type { TurnRecording } from '../../src/record/recordings.ts';
import { reread } from '../../src/record/reread.ts';

const line = (value: unknown): string => `${JSON.stringify(value)}\n`;
const bytes = (stream: 'stdin' | 'stdout', at: number, value: unknown): RecordedEntry => ({
  type: 'bytes',
  stream,
  at,
  text: line(value),
});

function recordingOf(said: string): TurnRecording {
  const session_id = 's';
  const entries = [
    bytes('stdin', 0, { type: 'user', message: { role: 'user', content: said } }),
    bytes('stdin', 1, { type: 'control', action: 'status' }),
    bytes('stdout', 4, {
      type: 'result',
      subtype: 'success',
      duration_ms: 1,
      is_error: false,
      num_turns: 1,
      session_id,
      result: 'yes',
    }),
  ];
  return { dialect: 'nuum', agent: 'one', entries, complete: true } as unknown as TurnRecording;
}

// An agent that says nothing but its result: it can only be told from a stray line because a turn was sent.
it.each(['hello', 'control', '"control"', '{"type":"control"}'])(
  'a recorded turn is read the same whatever the person said: %s',
  (said) => {
    const events = reread(recordingOf(said), undefined).map(({ event }) => event);
    expect(events).toEqual(reread(recordingOf('hello'), undefined).map(({ event }) => event));
    expect(events.map(({ type }) => type)).toContain('end');
  },
);
