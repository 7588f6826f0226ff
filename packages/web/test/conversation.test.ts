import type { EventView, Notice, UserSaid } from '@plugboard/client';
import type { Event } from '@plugboard/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Conversation,
  emptyConversation,
  extendConversation,
  prependEvents,
} from '../src/state/conversation.ts';
import type { TurnEntry } from '../src/state/entry.ts';
import { endedInSilence, timeTaken } from '../src/state/turn.ts';

type Logged = Event | UserSaid | Notice;

const user = (text: string, messageId = text): UserSaid => ({
  type: 'user',
  messageId,
  text,
  sender: 'you',
  attachments: [],
});
const delta = (text: string): Event => ({ type: 'delta', kind: 'output', text });
const thinking = (text: string): Event => ({ type: 'delta', kind: 'thinking', text });
const message = (text: string): Event => ({ type: 'message', text, media: [] });
const accepted = (...inputs: string[]): Event => ({ type: 'accepted', inputs });
const steered = (...inputs: string[]): Event => ({ type: 'steered', inputs });
const streamed = (text: string): Event => ({ type: 'message', text, media: [], streamed: true });
const end: Event = { type: 'end', outcome: 'success', text: '' };
const call = (id: string): Event => ({ type: 'tool-call', id, name: 'look', input: { path: id } });
const result = (id: string): Event => ({ type: 'tool-result', id, content: 'found', isError: false });

/** A log in which what people say has no turn, and everything else belongs to turn `a` unless it is given as a pair. */
function log(...list: readonly (Logged | readonly [string | null, Logged])[]): EventView[] {
  return list.map((item, index) => {
    const [turnId, event] = Array.isArray(item)
      ? (item as readonly [string | null, Logged])
      : [(item as Logged).type === 'user' || (item as Logged).type === 'notice' ? null : 'a', item as Logged];
    return { number: index + 1, turnId, at: 1000 + index, event };
  });
}

const read = (views: readonly EventView[]): Conversation => extendConversation(emptyConversation(), views);

/** What a reader sees, in short. */
function sketch({ entries }: Conversation): string[] {
  return entries.map((entry) => {
    if (entry.kind === 'said') return `you: ${entry.text}`;
    if (entry.kind === 'notice') return `notice: ${entry.text}`;
    return `${entry.id}: ${entry.parts.map(sketchPart).join(' | ')}`;
  });
}

function sketchPart(part: TurnEntry['parts'][number]): string {
  switch (part.kind) {
    case 'text':
      return part.text + (part.open ? '…' : '');
    case 'thinking':
      return `(${part.text}${part.open ? '…' : ''})`;
    case 'tool':
      return `[${part.name}${part.result === null ? '' : ` = ${part.result.content}`}]`;
    case 'said':
      return `you: ${part.text}`;
    case 'ask':
      return `? ${part.question.title}${part.ended === null ? '' : ` ${part.ended.outcome}`}`;
    case 'plan':
      return `plan ${part.steps.length}`;
    default:
      return `steered ${part.count}`;
  }
}

function turnOf(conversation: Conversation): TurnEntry {
  const turn = conversation.entries.find((entry) => entry.kind === 'turn');
  if (turn?.kind !== 'turn') throw new Error('no turn');
  return turn;
}

describe('deltas', () => {
  it('are gathered into one open text', () => {
    expect(sketch(read(log(user('hi'), delta('He'), delta('llo'))))).toEqual(['you: hi', 'a: Hello…']);
  });

  it('are not said again by a streamed message', () => {
    expect(sketch(read(log(delta('Hel'), delta('lo'), streamed('Hello'), end)))).toEqual(['a: Hello']);
  });

  it('are replaced by a message that was not streamed', () => {
    expect(sketch(read(log(delta('draft'), message('final'))))).toEqual(['a: final']);
  });

  it('keep their places between tools when their message was streamed', () => {
    const views = log(
      delta('Look: '),
      call('1'),
      result('1'),
      delta('there.'),
      streamed('Look: there.'),
      end,
    );
    expect(sketch(read(views))).toEqual(['a: Look:  | [look = found] | there.']);
  });

  it('stay as they are when the turn ends without a message', () => {
    expect(sketch(read(log(delta('half'), end)))).toEqual(['a: half']);
  });

  it('of thinking go to a part of their own, closed by what follows', () => {
    expect(sketch(read(log(thinking('hm'), thinking('m'), delta('Yes'))))).toEqual(['a: (hmm) | Yes…']);
  });

  it('that are only the tail of a message make way for all of it', () => {
    const tail = log(delta('one '), delta('two '), delta('three'), streamed('one two three')).slice(2);
    expect(sketch(extendConversation(emptyConversation(2), tail))).toEqual(['a: one two three']);
  });
});

describe('messages', () => {
  it('of one turn follow each other', () => {
    expect(sketch(read(log(message('one'), message('two'), end)))).toEqual(['a: one | two']);
  });

  it('with media keep them', () => {
    const media = [{ kind: 'image', url: '/api/media/1', name: 'a.png' }] as const;
    const [part] = turnOf(read(log(delta('see'), { ...streamed('see'), media } as Event))).parts;
    expect(part).toMatchObject({ text: 'see', media });
  });
});

describe('a turn', () => {
  it('stays together when someone speaks before it has ended', () => {
    const views = log(user('one'), delta('a'), user('two'), delta('b'), end, ['b', delta('c')]);
    expect(sketch(read(views))).toEqual(['you: one', 'a: ab', 'you: two', 'b: c…']);
  });

  it('shows its progress until it says something', () => {
    const progress: Event = { type: 'progress', text: 'Reading' };
    expect(turnOf(read(log(progress))).progress).toBe('Reading');
    expect(turnOf(read(log(progress, delta('x')))).progress).toBeNull();
    expect(turnOf(read(log(progress, end))).progress).toBeNull();
  });

  it('counts its faults and hides its log', () => {
    const fault: Event = { type: 'fault', fault: { code: 'invalid-json', message: 'no' } };
    const line: Event = { type: 'log', level: 'error', text: 'secret', source: 'stderr' };
    const turn = turnOf(read(log(fault, line, fault)));
    expect(turn.faults).toBe(2);
    expect(JSON.stringify(turn)).not.toContain('secret');
  });

  it('pairs results with calls by id, in any order', () => {
    const views = log(call('1'), call('2'), result('2'), result('1'), result('3'));
    expect(sketch(read(views))).toEqual(['a: [look = found] | [look = found] | [ = found]']);
  });

  it('knows its place in the line of the agent until it begins to answer', () => {
    expect(turnOf(read(log({ type: 'queued', position: 2 }))).position).toBe(2);
    expect(turnOf(read(log({ type: 'queued', position: 2 }, { type: 'accepted' }))).position).toBeNull();
  });

  it('that nobody has numbered is still one', () => {
    const views = log(user('a'), [null, { type: 'accepted' }], [null, message('one')], user('b'), [
      null,
      message('two'),
    ]);
    expect(sketch(read(views))).toEqual(['you: a', 'null: one', 'you: b', 'null: two']);
  });

  it('says who started it when nobody asked', () => {
    expect(turnOf(read(log({ type: 'accepted', origin: 'alarm' }))).origin).toBe('alarm');
  });

  it('took so long as the gateway says, whatever its agent counted and however much of it is loaded', () => {
    const said = { ...end, durationMs: 1 } as Event;
    const [first, last] = log(delta('x'), said).map((view) => ({ ...view, at: view.at + 5_000 }));
    if (first === undefined || last === undefined) throw new Error('no events');
    const ended = { ...last, startedAt: last.at - 2_000 };
    expect(timeTaken(turnOf(read([first, ended])))).toBe(2_000);
    expect(timeTaken(turnOf(read([{ ...ended, number: 1 }])))).toBe(2_000);
  });

  it('took a time that nobody knows before it has ended, and when the gateway was away', () => {
    const interrupted = {
      ...end,
      outcome: 'cancelled',
      error: { message: '', code: 'interrupted' },
    } as Event;
    expect(timeTaken(turnOf(read(log(delta('x')))))).toBeNull();
    expect(timeTaken(turnOf(read(log(interrupted).map((view) => ({ ...view, startedAt: 0 })))))).toBeNull();
  });

  it('keeps how it ended', () => {
    const failed: Event = {
      type: 'end',
      outcome: 'error',
      text: '',
      error: { message: 'No key.', told: true },
    };
    expect(turnOf(read(log(failed))).end).toEqual(failed);
  });
});

describe('a question', () => {
  const question = { kind: 'permission', title: 'May rm be used?', options: [] } as const;
  const ask: Event = { type: 'ask', id: 'q', question };

  it('stands in its turn where it was asked, and is open until it has an end', () => {
    expect(sketch(read(log(user('go'), message('one'), ask, message('two'))))).toEqual([
      'you: go',
      'a: one | ? May rm be used? | two',
    ]);
  });

  it('has the end that its id names, whatever came in between', () => {
    const ended: Event = { type: 'ask-ended', id: 'q', outcome: 'expired' };
    const other: Event = { type: 'ask-ended', id: 'other', outcome: 'answered' };
    expect(sketch(read(log(ask, message('one'), other, ended)))).toEqual([
      'a: ? May rm be used? expired | one',
    ]);
  });
});

describe('steering', () => {
  it('moves the message that waited into the turn', () => {
    const views = log(
      user('go'),
      delta('one '),
      user('left!'),
      user('later'),
      steered('left!'),
      delta('two'),
    );
    expect(sketch(read(views))).toEqual(['you: go', 'a: one … | you: left! | two…', 'you: later']);
  });

  it('shows a message that was given to the running turn where it was said', () => {
    const views = log(user('go'), delta('one '), ['a', user('left!')], steered('left!'), delta('two'));
    expect(sketch(read(views))).toEqual(['you: go', 'a: one … | you: left! | two…']);
  });

  it('of an agent that had just ended goes on in the same turn, below the message', () => {
    const views = log(user('go'), message('one'), user('more'), accepted('more'), message('two'), end);
    expect(sketch(read(views))).toEqual(['you: go', 'a: one | you: more | two']);
  });

  it('before the turn has answered anything puts the message above it', () => {
    const views = log(
      user('go'),
      accepted('go'),
      user('left!'),
      user('later'),
      steered('left!'),
      delta('two'),
    );
    expect(sketch(read(views))).toEqual(['you: go', 'you: left!', 'a: two…', 'you: later']);
  });

  it('of an agent that had just ended and said nothing puts the message above its answer', () => {
    const views = log(user('go'), accepted('go'), user('more'), accepted('more'), message('two'), end);
    expect(sketch(read(views))).toEqual(['you: go', 'you: more', 'a: two']);
  });

  it('needs no mark while the turn has said nothing', () => {
    const views = log(user('go'), user('left!'), steered('go', 'left!'), delta('two'));
    expect(sketch(read(views))).toEqual(['you: go', 'you: left!', 'a: two…']);
  });

  it('leaves a message alone that waits for the turn after one that only begins', () => {
    const views = log(user('go'), { type: 'queued', position: 1 }, user('later'), accepted('go'), delta('x'));
    expect(sketch(read(views))).toEqual(['you: go', 'a: x…', 'you: later']);
  });

  it('is marked when the messages are not known', () => {
    expect(sketch(read(log(delta('x'), steered('x', 'y'))))).toEqual(['a: x… | steered 2']);
  });
});

describe('the conversation', () => {
  const views = log(
    user('go'),
    delta('a'),
    thinking('b'),
    call('1'),
    user('more'),
    steered('more'),
    result('1'),
    delta('c'),
    streamed('ac'),
    { type: 'tasks', tasks: [{ id: 't', kind: 'alarm', description: 'tea', status: 'set' }] },
    end,
    { type: 'notice', id: 'n', text: 'restarted' },
    user('and'),
    ['b', delta('d')],
    ['b', message('D')],
    ['b', end],
  );

  it('is the same however the events are cut, and whatever comes twice', () => {
    const whole = read(views);
    fc.assert(
      fc.property(fc.array(fc.nat(views.length), { maxLength: 6 }), fc.nat(3), (cuts, again) => {
        let now = emptyConversation();
        for (const cut of [...cuts.sort((a, b) => a - b), views.length]) {
          now = extendConversation(now, views.slice(Math.max(0, now.last - again), cut));
        }
        expect(now).toEqual(whole);
      }),
    );
  });

  it('is the same when it is loaded from the end, page by page', () => {
    const whole = read(views);
    for (let seam = 1; seam < views.length; seam += 1) {
      const newest = extendConversation(emptyConversation(seam), views.slice(seam));
      expect(prependEvents(newest, views.slice(0, seam), 0)).toEqual(whole);
    }
  });

  it('keeps the entries that an older page does not touch, as the same objects', () => {
    const newest = extendConversation(emptyConversation(11), views.slice(11));
    const whole = prependEvents(newest, views.slice(0, 11), 0);
    expect(whole.entries.at(-1)).toBe(newest.entries.at(-1));
    expect(whole.entries.at(-2)).toBe(newest.entries.at(-2));
  });

  it('leaves alone the turns that a new event does not touch', () => {
    const before = read(views.slice(0, 14));
    const after = extendConversation(before, views.slice(14));
    expect(after.entries.slice(0, -1).map((entry, index) => entry === before.entries[index])).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  it('knows the newest snapshot of tasks', () => {
    expect(read(views).tasks).toHaveLength(1);
    expect(
      read([...views, { number: 99, turnId: null, at: 0, event: { type: 'tasks', tasks: [] } }]).tasks,
    ).toEqual([]);
  });

  it('takes in 10,000 events in a moment', () => {
    const many = Array.from({ length: 10_000 }, (_, index): EventView => {
      return { number: index + 1, turnId: `t${Math.floor(index / 20)}`, at: index, event: delta('word ') };
    });
    const started = process.threadCpuUsage();
    const whole = read(many);
    expect(whole.entries).toHaveLength(500);
    expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(1000);
  });
});

describe('a turn that ends without an answer', () => {
  const file: Event = { type: 'message', text: '', media: [{ kind: 'file', name: 'a.txt' }] };
  const alarm: Event = { type: 'accepted', inputs: [], origin: 'alarm' };
  const failed: Event = { type: 'end', outcome: 'error', text: '', error: { message: 'It broke.' } };

  it.each([
    ['nothing', [end], true],
    ['a thought and a tool alone', [thinking('hm'), call('1'), result('1'), end], true],
    ['blank lines', [message(' \n '), end], true],
    ['a message', [message('Yes.'), end], false],
    ['a streamed message', [delta('Yes.'), streamed('Yes.'), end], false],
    ['a file alone', [file, end], false],
    ['an error', [failed], false],
    ['data', [{ ...end, data: [1] } as Event], false],
    ['nothing yet', [accepted('m')], false],
    ['nothing, and nobody asked', [alarm, end], false],
  ])('a turn with %s is marked: %#', (_what, events, silent) => {
    const [turn] = read(log(...(events as Event[]))).entries;
    expect(turn?.kind === 'turn' && endedInSilence(turn)).toBe(silent);
  });
});

describe('an event that this version does not know', () => {
  const unknown = { type: 'sparkle', text: 'x' } as unknown as Event;

  it('changes nothing of the turn that it comes in', () => {
    const plain = read(log(user('hi'), accepted('hi'), message('Yes.'), end));
    const strange = read(log(user('hi'), accepted('hi'), unknown, message('Yes.'), unknown, end));
    expect(sketch(strange)).toEqual(sketch(plain));
  });

  it('begins no turn outside of one, and neither does an event with nothing to show', () => {
    const title: Event = { type: 'session-info', title: 'A title' };
    const usage: Event = { type: 'usage', usage: { context_used: 1 } };
    expect(sketch(read(log([null, unknown], [null, title], [null, usage])))).toEqual([]);
    expect(sketch(read(log([null, unknown], [null, message('Ping.')], [null, usage])))).toEqual([
      'null: Ping.',
    ]);
  });
});
