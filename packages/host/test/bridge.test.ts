import { bridge, bridgeUnasked, createTurn, type Event, type OpenAgent } from '@plugboard/host';
import { dialects } from '@plugboard/protocol';
import { expect, it } from 'vitest';
import { createQueue, pushEvents, runOf } from '../src/run/queue.ts';

/** A resident agent whose turns end when the test says so. */
function fakeAgent() {
  const steered: string[] = [];
  let busy = false;
  const agent: OpenAgent = {
    name: 'fake',
    dialect: 'nuum',
    capabilities: dialects.nuum.capabilities,
    takesTerminal: () => false,
    mediaAccess: (turn, since) => ({ roots: [], withheld: [], since, said: turn.text }),
    close: async () => {},
    run(turn) {
      busy = true;
      const queue = createQueue({ onDrained: () => {}, onAbandoned: () => {} });
      setTimeout(() => {
        busy = false;
        pushEvents(queue, [
          { type: 'message', text: `re: ${turn.text}`, media: [] },
          { type: 'end', outcome: 'success', text: '' },
        ]);
      }, 10);
      return runOf(queue);
    },
    resident: {
      get busy() {
        return busy;
      },
      steer(turn) {
        steered.push(turn.text);
        return busy;
      },
      interrupt: () => false,
      whenIdle: async () => {},
      whenSteered: async () => {},
      status: async () => undefined,
      heartbeat: async () => undefined,
      async *unasked() {},
      onUnread: () => {},
      onIdleEvent: () => {},
      onProcessEnd: () => {},
    },
  };
  return { agent, steered };
}

function oneShot({ resident: _, ...agent }: OpenAgent): OpenAgent {
  return agent;
}

it('gives a message to an agent that can be steered, and leaves it to its own turn where it cannot', async () => {
  for (const resident of [true, false]) {
    const { agent, steered } = fakeAgent();
    const waiting = [createTurn({ id: '2', text: 'more' })];
    const said: Event[] = [];
    await bridge(resident ? agent : oneShot(agent))(createTurn({ id: '1', text: 'first' }), {
      signal: new AbortController().signal,
      steering: {
        get waiting() {
          return waiting.length;
        },
        handOver: () => waiting.shift(),
        onMessage(listener) {
          setTimeout(listener, 1);
          return () => {};
        },
      },
      emit: async (event) => void said.push(event),
    });
    expect(steered).toEqual(resident ? ['more'] : []);
    expect(waiting).toHaveLength(resident ? 0 : 1);
    expect(said.map(({ type }) => type)).toEqual(['message', 'end']);
  }
});

it('tells the front why an agent has begun by itself', async () => {
  const { agent } = fakeAgent();
  const began: Event[][] = [
    [
      { type: 'accepted', origin: 'alarm' },
      { type: 'message', text: 'ring', media: [] },
    ],
    [{ type: 'accepted' }],
    [{ type: 'message', text: 'stray', media: [] }],
  ];
  async function* unasked() {
    for (const events of began) {
      const queue = createQueue({ onDrained: () => {}, onAbandoned: () => {} });
      pushEvents(queue, [...events, { type: 'end', outcome: 'success', text: '' }]);
      yield runOf(queue);
    }
  }
  const resident = { ...agent.resident, unasked } as unknown as NonNullable<OpenAgent['resident']>;
  const said: string[] = [];
  for await (const unasked of bridgeUnasked({ ...agent, resident })) {
    if ('type' in unasked) continue;
    const { origin, turn, handler } = unasked;
    await handler(turn, {
      signal: new AbortController().signal,
      steering: { waiting: 0, handOver: () => undefined, onMessage: () => () => {} },
      emit: async (event) => void said.push(`${origin ?? 'asked'} ${event.type}`),
    });
  }
  expect(said).toEqual(['alarm message', 'alarm end', 'asked end', 'task message', 'task end']);
});

it('waits for the introduction of a resident agent once, though it has a turn after the other', async () => {
  const { agent } = fakeAgent();
  let started = 0;
  const listeners: ((event: Event) => void)[] = [];
  const resident = {
    ...agent.resident,
    onIdleEvent: (listener: (event: Event) => void) => listeners.push(listener),
  };
  const startAhead = (): void => {
    started += 1;
    for (const listener of listeners) listener({ type: 'ready', session: 'mine', version: '1', tools: [] });
  };
  const known = new Map<string, string>();
  const claim = (id: string, key: string): string => {
    if (!known.has(id)) known.set(id, key);
    return known.get(id) ?? key;
  };
  const handler = bridge({ ...agent, startAhead, resident } as unknown as OpenAgent, { claim });
  const say = async (key: string): Promise<Event[]> => {
    const said: Event[] = [];
    await handler(createTurn({ id: '1', text: 'x', session: { key } }), {
      signal: new AbortController().signal,
      steering: { waiting: 0, handOver: () => undefined, onMessage: () => () => {} },
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
  const { agent } = fakeAgent();
  const run: OpenAgent['run'] = () => {
    const queue = createQueue({ onDrained: () => {}, onAbandoned: () => {} });
    pushEvents(queue, [
      { type: 'session', id: 'mine' },
      { type: 'end', outcome: 'success', text: '' },
    ]);
    return runOf(queue);
  };
  for (const [dialect, expected] of [
    ['nuum', ['end']],
    ['agentproc', ['session', 'end']],
  ] as const) {
    const said: string[] = [];
    const other = { ...agent, run, dialect, capabilities: dialects[dialect].capabilities };
    await bridge(other)(createTurn({ id: '1', text: 'x' }), {
      signal: new AbortController().signal,
      steering: { waiting: 0, handOver: () => undefined, onMessage: () => () => {} },
      emit: async ({ type }) => void said.push(type),
    });
    expect(said).toEqual(expected);
  }
});
