import { type RecordedEntry, takeSnapshot } from '@plugboard/host';
import { createTurn, dialects, type HostEffect, type HostInput } from '@plugboard/protocol';
import { expect, it } from 'vitest';
import { reread } from '../../src/record/reread.ts';
import type { TurnRecording } from '../../src/record/turn-recorder.ts';

const RESULT = {
  type: 'result',
  subtype: 'success',
  duration_ms: 1,
  is_error: false,
  num_turns: 1,
  session_id: 's',
  result: 'yes',
};

/** A turn in the middle of a conversation: the machine has seen another turn before. */
function recordingOf(said: string, withState = true): TurnRecording {
  const { host, defaults } = dialects.nuum;
  const state = host.initial(defaults, { environment: {}, workspace: '/' });
  const before: HostInput[] = [
    { type: 'started' },
    { type: 'send', turn: createTurn({ id: 'earlier', text: 'hi' }) },
    { type: 'line', text: JSON.stringify(RESULT) },
  ];
  for (const input of before) host.step(state, input, [] as HostEffect[]);
  const entries: RecordedEntry[] = [
    ...(withState ? [{ type: 'state', at: 0, state: takeSnapshot(state) } as const] : []),
    { type: 'input', at: 0, input: { type: 'send', turn: createTurn({ id: 'asked', text: said }) } },
    { type: 'bytes', at: 1, stream: 'stdin', text: `${JSON.stringify({ type: 'user', content: said })}\n` },
    { type: 'bytes', at: 4, stream: 'stdout', text: `${JSON.stringify(RESULT)}\n` },
  ];
  return { turnId: 't', dialect: 'nuum', agent: 'one', entries, complete: true };
}

// An agent that says nothing but its result: it can only be told from a stray line because a turn was sent.
it.each(['hello', 'control', '"control"', '{"type":"control"}'])(
  'a recorded turn is read the same whatever the person said: %s',
  (said) => {
    const events = reread(recordingOf(said), undefined)?.map(({ event }) => event);
    expect(events).toEqual(reread(recordingOf('hello'), undefined)?.map(({ event }) => event));
    expect(events?.map(({ type }) => type)).toContain('end');
    expect(events?.[0]).toEqual({ type: 'accepted', inputs: ['asked'] });
  },
);

it('a recording of a resident agent without its beginning cannot be read anew', () => {
  expect(reread(recordingOf('hello', false), undefined)).toBeUndefined();
});
