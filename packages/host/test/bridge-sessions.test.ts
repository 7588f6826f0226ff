import { bridgeSessions, createTurn, type Event, type OpenAgent, type Receive } from '@plugboard/host';
import { type AgentInput, type Answer, dialects, permissionQuestion } from '@plugboard/protocol';
import { expect, it } from 'vitest';

const OPTIONS: Event = { type: 'options', options: [{ id: 'fast', name: 'Fast', value: true }] };

/** A resident agent of one session, whose effects the test decides. */
function createAgent() {
  const listeners: ((event: Event) => void)[] = [];
  const sent: string[] = [];
  const answers: [string, Answer][] = [];
  const state = { isClosed: false };
  let receive: Receive = async () => {};
  const agent: OpenAgent = {
    name: 'fake',
    dialect: 'claude',
    capabilities: dialects.claude.capabilities,
    takesTerminal: () => false,
    mediaAccess: (turn, since) => ({ roots: [], withheld: [], since, said: turn.text }),
    startAhead: () => {
      for (const listener of listeners) listener(OPTIONS);
      void receive([{ type: 'events', turnId: undefined, events: [OPTIONS] }]);
    },
    run: () => {
      throw new Error('not used');
    },
    close: async () => {
      state.isClosed = true;
    },
    resident: {
      busy: false,
      steer: () => false,
      interrupt: () => false,
      whenIdle: async () => {},
      status: async () => undefined,
      heartbeat: async () => undefined,
      async *unasked() {},
      onUnread: () => {},
      onIdleEvent: (listener) => void listeners.push(listener),
      onProcessEnd: () => {},
      connect: (given) => {
        receive = given;
        return {
          send: ({ id }) => void sent.push(id),
          interrupt: (id) => void sent.push(`stop ${id}`),
          answer: (askId, answer) => void answers.push([askId, answer]),
        };
      },
    },
  };
  const say = (turnId: string, ...events: Event[]) => receive([{ type: 'events', turnId, events }]);
  const ask = (turnId: string) =>
    receive([{ type: 'ask', askId: 'q', turnId, question: permissionQuestion('Bash', {}) }]);
  return { agent, sent, answers, state, say, ask };
}

const END: Event = { type: 'end', outcome: 'success', text: '' };

function createFront() {
  const agents = new Map<string, ReturnType<typeof createAgent>>();
  const places: (string | undefined)[] = [];
  const told: AgentInput[] = [];
  const sessions = bridgeSessions(({ key }, workspace) => {
    places.push(workspace);
    const one = createAgent();
    agents.set(key, one);
    return { agent: one.agent };
  });
  const { take, done } = sessions.relay(async (input) => void told.push(input));
  const turn = (id: string, key: string) =>
    take({ type: 'turn', turn: createTurn({ id, session: { key }, extensions: { workspace: `/${key}` } }) });
  const of = (key: string) => agents.get(key) ?? createAgent();
  return { sessions, take, done, told, places, turn, of };
}

const open = (key: string) =>
  ({ type: 'open-session', session: { key }, workspace: `/${key}`, known: false, replay: false }) as const;

it('a session is open when its agent has told its options, which name the session', async () => {
  const { take, told, places } = createFront();
  take(open('a'));
  await expect.poll(() => told.at(-1)).toEqual({ type: 'session-opened', sessionKey: 'a' });
  expect(told[0]).toEqual({ type: 'event', turnId: undefined, event: OPTIONS, sessionKey: 'a' });
  expect(places).toEqual(['/a']);
});

it('two sessions are at work at once, each with an agent in its own directory', async () => {
  const { turn, of, told, places, done, take } = createFront();
  turn('t1', 'a');
  turn('t2', 'b');
  await expect.poll(() => [of('a').sent, of('b').sent]).toEqual([['t1'], ['t2']]);
  expect(places).toEqual(['/a', '/b']);
  await of('b').say('t2', END);
  await of('a').say('t1', END);
  const ends = told.filter((input) => input.type === 'event' && input.event.type === 'end');
  expect(ends).toMatchObject([
    { turnId: 't2', sessionKey: 'b' },
    { turnId: 't1', sessionKey: 'a' },
  ]);
  take({ type: 'input-end' });
  await done;
});

it('ids that two agents give alike are told apart', async () => {
  const { turn, of, told, take } = createFront();
  turn('t1', 'a');
  turn('t2', 'b');
  await expect.poll(() => [...of('a').sent, ...of('b').sent]).toEqual(['t1', 't2']);
  await of('a').ask('t1');
  await of('b').ask('t2');
  const [first, second] = told.flatMap((input) => (input.type === 'ask' ? [input] : []));
  expect(first?.askId).not.toBe(second?.askId);
  const answer: Answer = { by: 'ada', via: 'person', option: 'allow' };
  take({ type: 'answer', askId: second?.askId ?? '', answer });
  expect([of('a').answers, of('b').answers]).toEqual([[], [['q', answer]]]);
  await of('a').say('own', { type: 'accepted', origin: 'alarm' });
  await of('b').say('own', { type: 'accepted', origin: 'alarm' });
  await of('a').say('t1', END);
  await of('b').say('t2', END);
  const own = told.flatMap((input) =>
    input.type === 'event' && input.event.type === 'accepted' && input.event.origin !== undefined
      ? [input.turnId]
      : [],
  );
  expect(new Set(own).size).toBe(2);
});

it('an interrupt reaches the agent of its turn alone', async () => {
  const { turn, of, take } = createFront();
  turn('t1', 'a');
  turn('t2', 'b');
  await expect.poll(() => of('b').sent).toEqual(['t2']);
  take({ type: 'interrupt', turnId: 't2' });
  await expect.poll(() => of('b').sent).toEqual(['t2', 'stop t2']);
  expect(of('a').sent).toEqual(['t1']);
});

it('the agent of a session that is closed ends with its last turn, and the others with the bridge', async () => {
  const { turn, of, take, sessions } = createFront();
  turn('t1', 'a');
  turn('t2', 'b');
  await expect.poll(() => of('a').sent).toEqual(['t1']);
  take({ type: 'close-session', sessionKey: 'a' });
  expect(of('a').state.isClosed).toBe(false);
  await of('a').say('t1', END);
  await expect.poll(() => of('a').state.isClosed).toBe(true);
  expect(of('b').state.isClosed).toBe(false);
  await sessions.close();
  expect(of('b').state.isClosed).toBe(true);
});
