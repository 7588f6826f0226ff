import type { TurnIO } from '@plugboard/agent';
import { createTurn } from '@plugboard/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { unaskedOf } from '../../src/agent/handler.ts';
import { LIMITS } from '../../src/agent/limits.ts';
import { createNuum, type Nuum } from '../../src/agent/nuum.ts';
import type { RequestContext } from '../../src/agent/request.ts';
import { SILENT_SINK } from '../../src/loop/sink.ts';
import type { Memory } from '../../src/memory/memory.ts';
import { openMemory } from '../../src/memory/open.ts';
import type { Ask } from '../../src/model/ask.ts';
import { createPolicy } from '../../src/policy/policy.ts';
import { opened, reply, scripted } from '../memory/opened.ts';

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

let ids = 0;

function onMemory(memory: Memory, ask: Ask, clock: { now: number }): Nuum {
  const nuum = createNuum({
    ...{ memory, ask: () => ask, policy: createPolicy({}), limits: LIMITS, stays: true },
    ...{ directory: '/tmp', home: '/tmp', environment: {}, allowHosts: [], servers: {} },
    now: () => clock.now,
    newId: () => `id-${++ids}`,
    log: () => {},
  });
  undo.push(() => nuum.close());
  return nuum;
}

/** An agent in this process, and a way to fill its disk. */
function agent(ask: Ask = async () => reply({ text: 'ok' })) {
  const open = opened();
  undo.push(() => open[Symbol.dispose]());
  const { memory, clock } = open;
  const pages = (most: string): void => memory.connection.database.exec(`pragma max_page_count = ${most}`);
  return {
    ...{ memory, clock, nuum: onMemory(memory, ask, clock) },
    fill: () => pages('1'),
    clear: () => pages('1000000'),
  };
}

/** The next process on the same memory, after one that ended without a word. */
function again({ memory, clock }: ReturnType<typeof agent>, ask: Ask): Nuum {
  memory.close();
  return onMemory(openMemory(memory.file, { now: () => clock.now }), ask, clock);
}

const around = (signal = new AbortController().signal): RequestContext => ({
  sink: SILENT_SINK,
  askPermission: async () => ({ allowed: false }),
  signal,
});

/** More than what is left of the last page. */
const LONG = 'words '.repeat(5_000);

describe('a lookup in memory', () => {
  it('recall finds earlier messages, and neither the running question nor its own call', async () => {
    const ask = scripted(
      reply({ text: 'Noted: the boat is red.' }),
      reply({ calls: [{ id: 'r', name: 'recall', input: { query: 'colour of the boat' } }] }),
      reply({ text: 'Red.' }),
    );
    const { nuum } = agent(ask);
    await nuum.respond({ text: 'The boat is red.' }, around());
    await nuum.respond({ text: 'What is the colour of the boat?' }, around());
    const last = ask.asked.at(-1)?.said.at(-1);
    const found = last?.role === 'results' ? last.results[0]?.content.match(/^#\d+/gm) : undefined;
    expect(found?.sort()).toEqual(['#1', '#2']);
  });
});

describe('a disk that is full', () => {
  it('a full disk ends the turn with an error, and not the agent', async () => {
    const { nuum, memory, fill, clear } = agent();
    fill();
    const { problem } = await nuum.respond({ text: LONG }, around());
    expect(problem?.message).toContain('disk is full');
    clear();
    expect(await nuum.respond({ text: 'again' }, around())).toMatchObject({ text: 'ok' });
    expect(memory.messages.view(10_000).recent.map(({ kind }) => kind)).not.toContain('call');
  });

  it('a disk that fills up during a turn ends that turn, also an interrupted one', async () => {
    const controller = new AbortController();
    const { nuum, fill, clear } = agent(async () => {
      fill();
      return reply({ text: LONG });
    });
    expect(await nuum.respond({ text: 'go' }, around())).toMatchObject({
      problem: { message: expect.stringContaining('disk is full') },
    });
    clear();
    controller.abort(new Error('enough'));
    await expect(nuum.respond({ text: 'go' }, around(controller.signal))).rejects.toThrow('enough');
  });

  it('a message that cannot be stored is refused', () => {
    const { nuum, fill } = agent();
    fill();
    expect(() => nuum.admit(createTurn({ id: '1', text: LONG }))).toThrow('disk is full');
  });

  it('an alarm whose turn could not be stored rings again', async () => {
    const { nuum, fill, clear, clock } = agent();
    nuum.background.setAlarm(LONG, clock.now, undefined);
    const turns = unaskedOf(nuum)[Symbol.asyncIterator]();
    const next = async () => {
      for (;;) {
        const { value } = await turns.next();
        if (value !== undefined && 'handler' in value) return value;
      }
    };
    const first = await next();
    fill();
    const errors: string[] = [];
    const io = {
      signal: around().signal,
      steering: { waiting: 0 },
      error: (message: string) => void errors.push(message),
    } as unknown as TurnIO;
    await first.handler(first.turn, io);
    expect(errors).toEqual([expect.stringContaining('disk is full')]);
    clear();
    expect(nuum.background.snapshot()).toHaveLength(1);
    clock.now += 60_000;
    nuum.background.setAlarm('a sign of life', clock.now, undefined);
    expect((await next()).turn.text).toContain('words words');
  });
});

describe('an interrupt before a turn could begin', () => {
  it('a turn that is interrupted before it begins leaves its message in the conversation once', async () => {
    const { nuum, memory } = agent();
    const turn = createTurn({ id: '1', text: 'was I heard?' });
    nuum.admit(turn);
    const waiting = nuum.waiting(turn) ?? 0;
    const aborted = AbortSignal.abort(new Error('enough'));
    await expect(nuum.respond({ text: turn.text, waiting }, around(aborted))).rejects.toThrow('enough');
    const { recent } = memory.messages.view(10_000);
    expect(recent.map(({ kind }) => kind)).toEqual(['user', 'note']);
    expect(recent[0]).toMatchObject({ text: 'was I heard?' });
  });
});

describe('a background task that died with its process', () => {
  it('the model is told of a background task and of unanswered messages that an earlier process left', async () => {
    const asked: string[] = [];
    const first = agent();
    first.nuum.admit(createTurn({ id: '1', text: 'was I heard?' }));
    const { database } = first.memory.connection;
    database.exec(
      "insert into tasks (id, kind, description, status, created_at) values ('t1', 'research', 'owls', 'running', 1)",
    );
    const second = again(first, async ({ said }) => {
      asked.push(JSON.stringify(said));
      return reply({ text: 'ok' });
    });
    await second.respond({ text: 'and now?' }, around());
    expect(asked[0]).toMatch(/was I heard\?.*could be answered.*background task was running.*and now\?/);
    expect(second.background.snapshot()).toEqual([]);
  });
});

describe('messages that wait', () => {
  it('waiting messages are taken in one transaction', () => {
    const { nuum, memory, fill, clear } = agent();
    for (let n = 0; n < 30; n++) nuum.admit(createTurn({ id: `${n}`, text: `${n} ${LONG}` }));
    fill();
    expect(() => nuum.takeWaiting()).toThrow('disk is full');
    clear();
    expect(memory.messages.count).toBe(0);
    nuum.takeWaiting();
    expect(memory.messages.count).toBe(30);
  });
});

describe('a turn that fails before the model is asked', () => {
  it('a turn that fails before the model is asked says why, and the next one runs', async () => {
    const { nuum, memory } = agent();
    const { database } = memory.connection;
    database.exec('alter table knowledge rename to away');
    const { problem } = await nuum.respond({ text: 'one' }, around());
    expect(problem?.message).toContain('knowledge');
    database.exec('alter table away rename to knowledge');
    expect(await nuum.respond({ text: 'two' }, around())).toMatchObject({ text: 'ok' });
  });
});

describe('what a turn has used', () => {
  const usage = { input_tokens: 10, output_tokens: 2 };

  it('the usage of a failed turn is reported', async () => {
    const ask = scripted(
      reply({ calls: [{ id: '1', name: 'list_tasks', input: {} }], finish: 'tool-calls', usage }),
      new Error('the wire was cut'),
    );
    expect(await agent(ask).nuum.respond({ text: 'go' }, around())).toMatchObject({
      usage,
      problem: { message: 'the wire was cut' },
    });
  });

  it('the usage of a turn includes a first answer that was not in the form asked for', async () => {
    const schema = { type: 'object' };
    const ask = scripted(reply({ text: 'Sure!', usage }), reply({ text: '{"a":1}', usage }));
    expect(await agent(ask).nuum.respond({ text: 'go', schema }, around())).toMatchObject({
      data: { a: 1 },
      usage: { input_tokens: 20, output_tokens: 4 },
    });
  });

  it('a turn without a question to the model has no usage', async () => {
    const { nuum, memory } = agent();
    memory.connection.database.exec('alter table knowledge rename to away');
    expect(await nuum.respond({ text: 'one' }, around())).toMatchObject({ usage: {} });
  });
});
