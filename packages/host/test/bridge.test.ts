import { type Ask, bridge, createTurn, type Event, type OpenAgent, type Receive } from '@plugboard/host';
import { type AgentInput, type Answer, dialects, permissionQuestion } from '@plugboard/protocol';
import { expect, it } from 'vitest';
import { createQueue, pushEvents, type Run, runOf } from '../src/run/queue.ts';

/** A run that says these events. */
function runSaying(...events: Event[]): Run {
  const queue = createQueue({ onDrained: () => {}, onAbandoned: () => {} });
  pushEvents(queue, events);
  return runOf(queue);
}

const END: Event = { type: 'end', outcome: 'success', text: '' };

function oneShot(run: OpenAgent['run']): OpenAgent {
  return {
    name: 'fake',
    dialect: 'agentproc/v4',
    capabilities: dialects['agentproc/v4'].capabilities,
    takesTerminal: () => false,
    mediaAccess: (turn, since) => ({ roots: [], withheld: [], since, said: turn.text }),
    close: async () => {},
    run,
  };
}

/** A resident agent that answers each turn at once. */
function resident() {
  const listeners: ((event: Event) => void)[] = [];
  const agent: OpenAgent = {
    ...oneShot(() => runSaying(END)),
    dialect: 'nuum',
    capabilities: dialects.nuum.capabilities,
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
      connect: (receive: Receive) => ({
        send: ({ id, text }) =>
          void receive([
            { type: 'input', inputId: id, state: 'taken', turnId: id },
            {
              type: 'events',
              turnId: id,
              events: [{ type: 'message', text: `re: ${text}`, media: [] }, END],
            },
          ]),
        interrupt: () => {},
        answer: () => {},
      }),
    },
  };
  return { agent, tell: (event: Event) => listeners.forEach((listener) => void listener(event)) };
}

it('waits for the introduction of a resident agent once, though it has a turn after the other', async () => {
  const { agent, tell } = resident();
  let started = 0;
  const startAhead = (): void => {
    started += 1;
    tell({ type: 'ready', session: 'mine', version: '1', tools: [] });
  };
  const known = new Map<string, string>();
  const claim = (id: string, key: string): string => {
    if (!known.has(id)) known.set(id, key);
    return known.get(id) ?? key;
  };
  const { handler } = bridge({ ...agent, startAhead }, { claim });
  const say = async (key: string): Promise<Event[]> => {
    const said: Event[] = [];
    await handler(createTurn({ id: '1', text: 'x', session: { key } }), {
      signal: new AbortController().signal,
      emit: async (event) => void said.push(event),
    });
    return said;
  };
  for (const turn of ['first', 'second'])
    expect(
      (await say('alice')).map(({ type }) => type),
      turn,
    ).toEqual(['message', 'end']);
  expect(started).toBe(1);
  for (const turn of ['first', 'second'])
    expect(await say('bob'), turn).toMatchObject([
      { type: 'end', outcome: 'error', error: { code: 'shared-session' } },
    ]);
});

it('keeps the id of an agent from the front where the agent cannot be given it again', async () => {
  for (const [dialect, expected] of [
    ['terminal', ['end']],
    ['agentproc', ['session', 'end']],
  ] as const) {
    const said: string[] = [];
    const agent = oneShot(() => runSaying({ type: 'session', id: 'mine' }, END));
    const other = { ...agent, dialect, capabilities: dialects[dialect].capabilities };
    await bridge(other).handler(createTurn({ id: '1', text: 'x' }), {
      signal: new AbortController().signal,
      emit: async ({ type }) => void said.push(type),
    });
    expect(said).toEqual(expected);
  }
});

it('tells a front that starts late what the agent has said before, and holds the agent back until then', async () => {
  const { agent } = resident();
  let receive: Receive = async () => {};
  const connect = (given: Receive) => {
    receive = given;
    return { send: () => {}, interrupt: () => {}, answer: () => {} };
  };
  const controls = agent.resident as NonNullable<OpenAgent['resident']>;
  const { relay } = bridge({ ...agent, resident: { ...controls, connect } });
  const order: string[] = [];
  const events = ['accepted', 'message'].map((type) => ({ type, text: 'x', media: [], origin: 'alarm' }));
  const received = receive([{ type: 'events', turnId: 'own-1', events: events as Event[] }]);
  void received.then(() => order.push('read on'));
  await Promise.resolve();
  relay(async (input) => void order.push(input.type === 'event' ? input.event.type : input.type));
  await received;
  expect(order).toEqual(['accepted', 'message', 'read on']);
});

/** An agent that asks in its turn, and a way to take the question back. */
function asking() {
  const controller = new AbortController();
  let asked: Promise<Answer> | undefined;
  const agent = oneShot((_turn, _signal, ask?: Ask) => {
    asked = ask?.(permissionQuestion('Bash', {}), { id: 'q1', signal: controller.signal });
    const queue = createQueue({ onDrained: () => {}, onAbandoned: () => {} });
    const end = (): void => pushEvents(queue, [END]);
    if (asked === undefined || controller.signal.aborted) end();
    else void asked.then(end);
    controller.signal.addEventListener('abort', end);
    return runOf(queue);
  });
  return { agent, withdraw: () => controller.abort(), asked: () => asked };
}

const offer = createTurn({ id: '1', extensions: { permission: true } });

it('passes a question to the front that offers to answer it, and its withdrawal', async () => {
  const { agent, withdraw, asked } = asking();
  const { handler } = bridge(agent);
  const { signal } = new AbortController();
  const emit = async (): Promise<void> => {};
  const allow: Answer = { by: 'ada', via: 'person', option: 'allow' };
  await handler(offer, { signal, emit, ask: async () => allow });
  expect(await asked()).toEqual(allow);

  const withdrawn = Promise.withResolvers<string>();
  await handler(offer, {
    signal,
    emit,
    ask(_question, gone) {
      gone.addEventListener('abort', () => withdrawn.resolve('withdrawn'));
      withdraw();
      return new Promise(() => {});
    },
  });
  expect(await withdrawn.promise).toBe('withdrawn');
  await handler(createTurn({ id: '2' }), { signal, emit, ask: async () => allow });
  expect(asked()).toBeUndefined();
});

it('passes a question and its withdrawal through a front that stays', async () => {
  const { agent, withdraw } = asking();
  const told: AgentInput[] = [];
  const { take, done } = bridge(agent).relay(async (input) => {
    told.push(input);
    if (input.type === 'ask') withdraw();
  });
  take({ type: 'turn', turn: offer });
  take({ type: 'input-end' });
  await done;
  expect(told.map((input) => (input.type === 'event' ? input.event.type : input.type))).toEqual([
    'accepted',
    'ask',
    'withdraw',
    'end',
  ]);
});
