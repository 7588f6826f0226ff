import { bridge, bridgeUnasked, createTurn, type Event, type OpenAgent } from '@plugboard/host';
import { dialects } from '@plugboard/protocol';
import { expect, it } from 'vitest';
import { createQueue, pushEvents, runOf } from '../src/run/queue.ts';

/** A resident agent whose turns end when the test says so. */
function fakeAgent() {
  const asked: string[] = [];
  let busy = false;
  const agent: OpenAgent = {
    name: 'fake',
    dialect: 'nuum',
    capabilities: dialects.nuum.capabilities,
    takesTerminal: () => false,
    close: async () => {},
    run(turn) {
      asked.push(turn.text);
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
      steer: () => busy,
      interrupt: () => false,
      whenIdle: async () => {},
      whenSteered: async () => {},
      status: async () => undefined,
      heartbeat: async () => undefined,
      async *unasked() {},
      onUnread: () => {},
      onIdleEvent: () => {},
    },
  };
  return { agent, asked };
}

it('answers a message that was taken from the front when the agent had just ended', async () => {
  const { agent, asked } = fakeAgent();
  const said: Event[] = [];
  let tell: (() => void) | undefined;
  const waiting = [createTurn({ id: '2', text: 'late' })];
  await bridge(agent)(createTurn({ id: '1', text: 'first' }), {
    signal: new AbortController().signal,
    steering: {
      get waiting() {
        return waiting.length;
      },
      async take() {
        // As slow as a front can be: the agent ends its turn meanwhile.
        await new Promise((resolve) => setTimeout(resolve, 30));
        return waiting.shift();
      },
      onMessage(listener) {
        tell = listener;
        setTimeout(() => tell?.(), 1);
        return () => {};
      },
    },
    async emit(event) {
      said.push(event);
      if (event.type === 'message') await new Promise((resolve) => setTimeout(resolve, 60));
    },
  });
  expect(asked).toEqual(['first', 'late']);
  expect(said.map(({ type }) => type)).toEqual(['message', 'message', 'end']);
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
      steering: { waiting: 0, take: async () => undefined, onMessage: () => () => {} },
      emit: async (event) => void said.push(`${origin} ${event.type}`),
    });
  }
  expect(said).toEqual(['alarm message', 'alarm end', 'task end', 'task message', 'task end']);
});
