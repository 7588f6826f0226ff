import type { SessionView } from '@plugboard/client';
import { expect, it } from 'vitest';
import {
  acknowledgeMessage,
  changeOutgoing,
  deserializeOutbox,
  isCommand,
  nextToSend,
  type Outgoing,
  removeEchoed,
  serializeOutbox,
} from '../src/state/outbox.ts';
import { upsertSession } from '../src/state/sessions.ts';

const item = (id: string, fields: Partial<Outgoing> = {}): Outgoing => ({
  id,
  sessionId: 's',
  text: id,
  attachments: [],
  at: 0,
  state: 'sending',
  problem: null,
  messageId: null,
  echoed: false,
  ...fields,
});

it('sends in the order of writing, and passes over what failed or is sent', () => {
  const list = [
    item('a', { state: 'sent' }),
    item('b', { state: 'failed' }),
    item('c', { state: 'waiting' }),
    item('d'),
  ];
  expect(nextToSend(list)?.id).toBe('c');
  expect(nextToSend(changeOutgoing(list, 'c', { state: 'sent' }))?.id).toBe('d');
});

it('keeps over a reload what is not confirmed, but no command', () => {
  const list = [
    item('a', { state: 'sent' }),
    item('b', { state: 'waiting' }),
    item('/stop'),
    item('c', { state: 'failed' }),
  ];
  expect(deserializeOutbox(serializeOutbox(list)).map(({ id }) => id)).toEqual(['b', 'c']);
});

it.each([null, '', '{', '{}', '[null, 1, {"id": 1}]'])('reads %j as nothing', (text) =>
  expect(deserializeOutbox(text)).toEqual([]),
);

it('forgets what came back as an event, whichever of answer and event was first', () => {
  const sent = acknowledgeMessage([item('a'), item('b')], 'a', 'm1', new Set());
  expect(removeEchoed(sent, 's', [{ messageId: 'm1', text: 'a' }]).map(({ id }) => id)).toEqual(['b']);
  const echoed = removeEchoed([item('a'), item('b')], 's', [{ messageId: 'm1', text: 'a' }]);
  expect(echoed.map((one) => one.echoed)).toEqual([true, false]);
  expect(acknowledgeMessage(echoed, 'a', 'm1', new Set(['m1'])).map(({ id }) => id)).toEqual(['b']);
});

it('shows a message again when the event with its text was of somebody else', () => {
  const echoed = removeEchoed([item('a')], 's', [{ messageId: 'other', text: 'a' }]);
  expect(acknowledgeMessage(echoed, 'a', 'm1', new Set(['other']))).toMatchObject([
    { state: 'sent', echoed: false },
  ]);
});

it('takes two equal texts for two messages', () => {
  const twice = [item('1', { text: 'yes' }), item('2', { text: 'yes' })];
  expect(removeEchoed(twice, 's', [{ messageId: 'm', text: 'yes' }]).map((one) => one.echoed)).toEqual([
    true,
    false,
  ]);
});

it('takes an equal text in an older page for an earlier message', () => {
  const older = [{ messageId: 'before', text: 'yes' }];
  const [said] = removeEchoed([item('1', { text: 'yes' })], 's', older, false);
  expect(said).toMatchObject({ echoed: false });
  const sent = [item('1', { text: 'yes', state: 'sent', messageId: 'before' })];
  expect(removeEchoed(sent, 's', older, false)).toEqual([]);
});

it.each([
  ['/stop', true],
  ['/agent atlas', true],
  ['/etc/passwd', false],
  ['a /stop', false],
])('%s is a command: %s', (text, expected) => expect(isCommand({ text })).toBe(expected));

const session = (id: string, updatedAt: number): SessionView => ({ id, updatedAt, title: id }) as SessionView;
const list = {
  from: 'people',
  search: '',
  sessions: [session('b', 5), session('a', 3)],
  next: null,
  state: 'ready',
} as const;

it('puts a session that changed where its time belongs', () => {
  expect(upsertSession(list, session('a', 9)).sessions.map(({ id }) => id)).toEqual(['a', 'b']);
  expect(upsertSession(list, session('c', 4)).sessions.map(({ id }) => id)).toEqual(['b', 'c', 'a']);
});

it('shows during a search only what was found', () => {
  const found = { ...list, search: 'x' };
  expect(upsertSession(found, session('c', 9))).toBe(found);
  expect(upsertSession(found, session('a', 9)).sessions.map(({ updatedAt }) => updatedAt)).toEqual([5, 9]);
});
