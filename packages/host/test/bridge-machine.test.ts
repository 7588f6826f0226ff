import { createTurn, type End, type Event, permissionQuestion } from '@plugboard/protocol';
import { describe, expect, it } from 'vitest';
import {
  type AgentReport,
  type Behind,
  type BridgeEffect,
  createBridgeState,
  type FrontRequest,
  stepBridge,
} from '../src/bridge/machine.ts';

const STEERED: Behind = { resident: true, steering: true, complete: (_turn, end) => end };
const PATIENT: Behind = { ...STEERED, steering: false };
const ONE_SHOT: Behind = { ...PATIENT, resident: false };

const end: End = { type: 'end', outcome: 'success', text: '' };
const message = (text: string): Event => ({ type: 'message', text, media: [] });

const turn = (id: string, key = 'a'): FrontRequest => ({
  type: 'turn',
  turn: createTurn({ id, session: { key } }),
});
const events = (turnId: string | undefined, ...list: Event[]): AgentReport => ({
  type: 'events',
  turnId,
  events: list,
});
const taken = (inputId: string, turnId = inputId): AgentReport => ({
  type: 'input',
  inputId,
  state: 'taken',
  turnId,
});

/** One word for each effect: `send 1`, `1 accepted 1`, `- tasks`. */
function described(effect: BridgeEffect): string {
  switch (effect.type) {
    case 'send':
      return `send ${effect.turn.id}`;
    case 'interrupt':
      return `interrupt ${effect.turnId} ${effect.cause}`;
    case 'event': {
      const { event, turnId = '-' } = effect;
      if (event.type === 'accepted') return `${turnId} accepted ${event.inputs ?? event.origin}`;
      if (event.type === 'queued') return `${turnId} queued ${event.input} at ${event.position}`;
      if (event.type === 'steered') return `${turnId} steered ${event.inputs}`;
      if (event.type === 'end') return `${turnId} end ${event.outcome}`;
      return `${turnId} ${event.type}`;
    }
    case 'answer':
      return `answer ${effect.askId} ${effect.answer.option}`;
    case 'done':
      return 'done';
    default:
      return `${effect.type} ${effect.askId}`;
  }
}

/** What comes of each input. */
function play(behind: Behind, ...inputs: (FrontRequest | AgentReport)[]): string[][] {
  const state = createBridgeState(behind);
  return inputs.map((input) => {
    const out: BridgeEffect[] = [];
    stepBridge(state, input, out);
    return out.map(described);
  });
}

describe('a message during a turn', () => {
  it('steers an agent that can be steered, and the front is told which turn has it', () => {
    expect(
      play(
        STEERED,
        turn('1'),
        taken('1'),
        turn('2'),
        taken('2', '1'),
        events('1', { type: 'steered', inputs: ['2'] }, message('both'), end),
      ),
    ).toEqual([
      ['1 accepted 1', 'send 1'],
      [],
      ['send 2', '1 queued 2 at 1'],
      [],
      ['1 steered 2', '1 message', '1 end success'],
    ]);
  });

  it('that comes too late to steer has the turn that the agent begins for it', () => {
    expect(
      play(
        STEERED,
        turn('1'),
        taken('1'),
        turn('2'),
        { type: 'input-end' },
        events('1', end),
        taken('2'),
        events('2', { type: 'accepted', inputs: ['2'] }, message('late'), end),
      ),
    ).toEqual([
      ['1 accepted 1', 'send 1'],
      [],
      ['send 2', '1 queued 2 at 1'],
      [],
      ['1 end success'],
      ['2 accepted 2'],
      ['2 message', '2 end success', 'done'],
    ]);
  });

  it('that was taken in without a word ends with the turn that has it, or at once after it', () => {
    const during = play(STEERED, turn('1'), taken('1'), turn('2'), taken('2', '1'), events('1', end));
    expect(during.at(-1)).toEqual(['1 end success', '2 end success']);
    const after = play(STEERED, turn('1'), taken('1'), turn('2'), events('1', end), taken('2', '1'));
    expect(after.slice(-2)).toEqual([['1 end success'], ['2 end success']]);
  });

  it.each([
    ['one that cannot be steered', PATIENT],
    ['one-shot agents', ONE_SHOT],
  ])('waits for its own turn with %s', (_which, behind) => {
    expect(play(behind, turn('1'), taken('1'), turn('2'), turn('3'), events('1', end), taken('2'))).toEqual([
      ['1 accepted 1', 'send 1'],
      [],
      ['1 queued 2 at 1'],
      ['1 queued 3 at 2'],
      ['1 end success', '2 accepted 2', 'send 2'],
      [],
    ]);
  });

  it('of another session never steers, and has a process of its own with one-shot agents', () => {
    expect(play(STEERED, turn('1'), taken('1'), turn('2', 'b'), events('1', end)).slice(2)).toEqual([
      [],
      ['1 end success', '2 accepted 2', 'send 2'],
    ]);
    expect(play(ONE_SHOT, turn('1'), turn('2', 'b')).at(-1)).toEqual(['2 accepted 2', 'send 2']);
  });
});

describe('a turn that the agent begins by itself', () => {
  it('is told with its origin, and takes the messages of the front', () => {
    expect(
      play(
        STEERED,
        events('own-1', { type: 'accepted', origin: 'alarm' }),
        turn('1'),
        taken('1', 'own-1'),
        events('own-1', { type: 'steered', inputs: ['1'] }, end),
        events('own-1', { type: 'accepted' }, end),
      ),
    ).toEqual([
      ['unasked-1 accepted alarm'],
      ['send 1', 'unasked-1 queued 1 at 1'],
      [],
      ['unasked-1 steered 1', 'unasked-1 end success'],
      ['unasked-2 accepted task', 'unasked-2 end success'],
    ]);
  });

  it('waits where the front has been told that its own turn began first', () => {
    const own = events('own-1', { type: 'accepted', origin: 'alarm' }, message('ring'), end);
    expect(play(STEERED, turn('1'), own, taken('1'), events('1', end))).toEqual([
      ['1 accepted 1', 'send 1'],
      [],
      [],
      ['1 end success', 'unasked-1 accepted alarm', 'unasked-1 message', 'unasked-1 end success'],
    ]);
  });

  it('is the turn of a message that it takes in before the front has heard of it', () => {
    const own = events('own-1', { type: 'accepted', origin: 'alarm' }, message('ring'));
    const both = events('own-1', { type: 'steered', inputs: ['1'] }, message('and you'), end);
    expect(play(STEERED, turn('1'), own, taken('1', 'own-1'), both)).toEqual([
      ['1 accepted 1', 'send 1'],
      [],
      ['1 message'],
      ['1 message', '1 end success'],
    ]);
  });

  it('does not come of words about a turn that is over, of which logs alone are kept', () => {
    const late: Event = { type: 'log', level: 'info', text: 'late', source: 'stderr' };
    const tasks: Event = { type: 'tasks', tasks: [] };
    expect(play(STEERED, events('gone', message('x'), late), events(undefined, late, tasks))).toEqual([
      ['- log'],
      ['- tasks'],
    ]);
  });
});

describe('the end of a turn', () => {
  it('is preceded by results for the tools that have none', () => {
    const call: Event = { type: 'tool-call', id: 'c', name: 'look', input: {} };
    expect(play(ONE_SHOT, turn('1'), taken('1'), events('1', call, end)).at(-1)).toEqual([
      '1 tool-call',
      '1 tool-result',
      '1 end success',
    ]);
  });

  it('is completed from the messages of an operation', () => {
    const seen: (readonly string[])[] = [];
    const complete: Behind['complete'] = (_turn, how, said) => {
      seen.push([...said]);
      return how;
    };
    const behind = { ...ONE_SHOT, complete };
    const operation = { name: 'x', fields: {} };
    for (const more of [{}, { operation }])
      play(
        behind,
        { type: 'turn', turn: createTurn({ id: '1', ...more }) },
        events('1', message('a'), message('b'), end),
      );
    expect(seen).toEqual([['b'], ['a', 'b']]);
  });

  it('is awaited by the end of the bridge, which comes once', () => {
    expect(play(ONE_SHOT, turn('1'), { type: 'input-end' }, events('1', end), { type: 'stop' })).toEqual([
      ['1 accepted 1', 'send 1'],
      [],
      ['1 end success', 'done'],
      [],
    ]);
  });
});

describe('an interrupt', () => {
  it('stops the turn that runs, or the one that is named, and takes back one that waits', () => {
    expect(
      play(
        PATIENT,
        turn('1'),
        turn('2'),
        { type: 'interrupt' },
        { type: 'interrupt', turnId: '2' },
        { type: 'interrupt', turnId: 'unknown' },
        { type: 'interrupt', turnId: '1' },
        events('1', { ...end, outcome: 'cancelled' }),
      ).slice(2),
    ).toEqual([['interrupt 1 cancel'], ['2 end cancelled'], [], ['interrupt 1 cancel'], ['1 end cancelled']]);
  });

  it('of the whole process stops what runs, drops what waits, and gives up what does not end', () => {
    const inputs = [turn('1'), taken('1'), turn('2'), { type: 'stop' }] as const;
    expect(
      play(STEERED, ...inputs, events('1', end), events('own-1', { type: 'accepted' })).slice(3),
    ).toEqual([['interrupt 1 cancel'], ['1 end success', 'done'], []]);
    expect(play(STEERED, ...inputs, { type: 'give-up' }, events('1', end)).slice(4)).toEqual([
      ['1 end cancelled', 'done'],
      [],
    ]);
  });
});

describe('a question', () => {
  const question = permissionQuestion('Bash', {});
  const ask: AgentReport = { type: 'ask', askId: 'q', turnId: '1', question };
  const answer: FrontRequest = {
    type: 'answer',
    askId: 'q',
    answer: { by: 'ada', via: 'person', option: 'allow' },
  };
  const begun = [turn('1'), taken('1')] as const;

  it('reaches the front, and its answer the agent, once', () => {
    expect(play(STEERED, ...begun, ask, answer, answer).slice(2)).toEqual([
      ['ask q'],
      ['answer q allow'],
      [],
    ]);
  });

  it('that is withdrawn is withdrawn at the front, and a late answer is dropped', () => {
    const withdraw: AgentReport = { type: 'withdraw', askId: 'q' };
    expect(play(STEERED, ...begun, ask, withdraw, answer, withdraw).slice(2)).toEqual([
      ['ask q'],
      ['withdraw q'],
      [],
      [],
    ]);
  });

  it('is denied where the front cannot ask, and where the front has no such turn', () => {
    expect(play(STEERED, ...begun, ask, { type: 'cannot-ask', askId: 'q' }).slice(3)).toEqual([
      ['answer q deny'],
    ]);
    expect(play(STEERED, ask)).toEqual([['answer q deny']]);
  });

  it('of a turn that the agent began by itself reaches the front, too', () => {
    const own = events('own-1', { type: 'accepted', origin: 'task' });
    expect(play(STEERED, own, { ...ask, turnId: 'own-1' }).at(-1)).toEqual(['ask q']);
  });
});

it('a turn that may not be shown ends for the front, and the next one waits until it has ended behind', () => {
  expect(
    play(
      STEERED,
      turn('1'),
      { type: 'refuse', turnId: '1', failure: { message: 'no' } },
      taken('1'),
      events('1', message('secret')),
      turn('2', 'b'),
      events('1', end),
    ).slice(1),
  ).toEqual([['1 end error', 'interrupt 1 cancel'], [], [], [], ['2 accepted 2', 'send 2']]);
});
