import { type ModelReply, type ModelServer, startModelServer } from '@plugboard/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { LIMITS, type Limits } from '../../src/agent/limits.ts';
import { createNuum, type Nuum } from '../../src/agent/nuum.ts';
import type { RequestContext } from '../../src/agent/request.ts';
import { SILENT_SINK } from '../../src/loop/sink.ts';
import type { Memory } from '../../src/memory/memory.ts';
import { openMemory } from '../../src/memory/open.ts';
import { createAsk } from '../../src/model/ask.ts';
import { chooseModel } from '../../src/model/choose.ts';
import { createPolicy } from '../../src/policy/policy.ts';
import { opened } from '../memory/opened.ts';

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

const DAY_MS = 24 * 3_600_000;
let ids = 0;

/** An agent whose model is a server of ours: what is compared is what goes over the wire. */
async function agentWith(replies: (index: number) => ModelReply, limits: Partial<Limits> = {}) {
  const asked: string[] = [];
  const bodies: Body[] = [];
  const server: ModelServer = await startModelServer((request) => {
    if (!isOfTurn(request.body)) return { text: 'Nothing.' };
    bodies.push(request.body);
    asked.push(promptText(request.body));
    return replies(asked.length - 1);
  });
  undo.push(() => server.close());
  const open = opened();
  undo.push(() => open[Symbol.dispose]());
  const { clock } = open;
  const chosen = chooseModel({ model: 'anthropic:m', baseUrl: server.baseUrl, apiKey: 'k' });
  const start = (memory: Memory): Nuum =>
    createNuum({
      ...{ memory, policy: createPolicy({}), limits: { ...LIMITS, ...limits }, stays: true },
      ...{ directory: '/tmp', home: '/nowhere', environment: {}, allowHosts: [], servers: {} },
      ask: createAsk(chosen, { now: () => clock.now }),
      now: () => clock.now,
      newId: () => `id-${++ids}`,
      log: () => {},
    });
  let nuum = start(open.memory);
  undo.push(() => nuum.close());
  return {
    ...{ asked, bodies, clock, memory: open.memory },
    say: (text: string, signal = new AbortController().signal) => nuum.respond({ text }, around(signal)),
    /** The next process on the same memory. */
    async restart() {
      await nuum.close();
      nuum = start(openMemory(open.memory.file, { now: () => clock.now }));
    },
  };
}

const around = (signal: AbortSignal): RequestContext => ({
  sink: SILENT_SINK,
  askPermission: async () => ({ allowed: false }),
  signal,
});

interface Block {
  readonly cache_control?: unknown;
}
interface Body {
  readonly tools: readonly (Block & { readonly name: string })[];
  readonly system: readonly Block[];
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[];
}

/** Distillation asks beside the turns. */
function isOfTurn({ tools }: Body): boolean {
  return tools.some(({ name }) => name === 'bash');
}

function blocksOf({ tools, system, messages }: Body): (readonly [string, Block])[] {
  return [
    ...tools.map((tool) => ['tool', tool] as const),
    ...system.map((part) => ['system', part] as const),
    ...messages.flatMap(({ role, content }) => content.map((part) => [role, part] as const)),
  ];
}

/** A prompt in the order in which a provider caches it, without the marks. */
function promptText(body: Body): string {
  return blocksOf(body)
    .map(([role, { cache_control: _, ...part }]) => JSON.stringify([role, part]))
    .join('\n');
}

/** Every prompt begins with the whole of the one before it. */
function expectPrefixes(asked: readonly string[]): void {
  for (const [index, text] of asked.entries()) {
    if (index > 0) expect(text.startsWith(asked[index - 1] ?? ''), `prompt ${index}`).toBe(true);
  }
}

const list = (id: string): ModelReply => ({ calls: [{ id, name: 'list_tasks', input: {} }] });

describe('each prompt begins with the bytes of the one before it', () => {
  it('each prompt begins with the bytes of the one before it, from turn to turn over days', async () => {
    const { asked, say, clock } = await agentWith((n) =>
      n % 3 < 2 ? list(`toolu_${n}`) : { text: `ok ${n}` },
    );
    for (let turn = 0; turn < 5; turn++) {
      await say(`message ${turn}`);
      clock.now += DAY_MS;
    }
    expect(asked).toHaveLength(15);
    expectPrefixes(asked);
  });

  it('each prompt begins with the bytes of the one before it while mission, status and list change', async () => {
    const { asked, say } = await agentWith((n) =>
      n % 2 === 0
        ? {
            calls: [
              { id: `a${n}`, name: 'set_mission', input: { mission: n === 4 ? '' : `Build boat ${n}` } },
              { id: `b${n}`, name: 'update_todos', input: { todos: [] } },
            ],
          }
        : { text: 'ok' },
    );
    for (let turn = 0; turn < 5; turn++) await say(`message ${turn}`);
    expectPrefixes(asked);
    expect(asked[2]).toContain('Mission: Build boat 0');
    expect(asked[6]).toContain('as you have set it]\\n(nothing)');
  });

  it('each prompt begins with the bytes of the one before it with concurrent calls, thinking and schemas', async () => {
    const many = Array.from({ length: 14 }, (_, index) => ({
      id: `c_${index}`,
      name: 'list_tasks',
      input: {},
    }));
    const { asked, say } = await agentWith((n) =>
      n % 2 === 0
        ? {
            thinking: 'Hm.',
            text: 'I look.',
            calls: many.map((call) => ({ ...call, id: `${call.id}_${n}` })),
          }
        : { text: '{"a":1}' },
    );
    for (let turn = 0; turn < 3; turn++) await say(`message ${turn}`);
    expectPrefixes(asked);
  });

  it('each prompt begins with the bytes of the one before it after an interrupted turn, except its cut-off calls', async () => {
    const controller = new AbortController();
    const { asked, say } = await agentWith((n) =>
      n === 1 ? { calls: [{ id: 'slow', name: 'bash', input: { command: 'sleep 30' } }] } : { text: 'ok' },
    );
    await say('first');
    const cut = say('second', controller.signal);
    setTimeout(() => controller.abort(new Error('stop')), 300);
    await expect(cut).rejects.toThrow('stop');
    await say('third');
    expect(asked).toHaveLength(3);
    expectPrefixes(asked);
    expect(asked[2]).toContain('"tool_use_id":"slow"');
  });

  it('each prompt begins with the bytes of the one before it in the next process', async () => {
    const { asked, say, restart } = await agentWith((n) =>
      n % 2 === 0 ? list(`toolu_${n}`) : { text: 'ok' },
    );
    await say('first');
    await restart();
    await say('second');
    await say('third');
    expectPrefixes(asked);
  });
});

describe('the marks of a prompt', () => {
  it('a prompt has four cache marks: the instructions, its end, and the ends of the two before it', async () => {
    const { bodies, say } = await agentWith((n) => (n < 5 ? list(`toolu_${n}`) : { text: 'ok' }));
    await say('go');
    const marks = bodies.map((body) =>
      blocksOf(body).flatMap(([role, block], index) =>
        block.cache_control === undefined ? [] : [`${role}${index}`],
      ),
    );
    const ends = bodies.map((body) => blocksOf(body).length - 1);
    const system = `system${bodies[0]?.tools.length ?? 0}`;
    expect(marks[5]).toEqual([system, `user${ends[3]}`, `user${ends[4]}`, `user${ends[5]}`]);
  });
});

describe('a prompt that a provider would refuse', () => {
  it('a prompt holds no message of thinking alone', async () => {
    const { bodies, say } = await agentWith((n) => (n === 0 ? { thinking: 'Hm.' } : { text: 'ok' }));
    expect(await say('first')).toMatchObject({ problem: { code: 'empty' } });
    await say('second');
    expect(bodies[1]?.messages.map(({ role }) => role)).toEqual(['user']);
  });

  it('a refused prompt is not sent again but rebuilt from memory', async () => {
    const { asked, say } = await agentWith((n) => {
      if (n === 1) return { status: 400, error: 'thinking: invalid signature' };
      return n === 0 ? { thinking: 'Hm.', text: 'ok' } : { text: 'ok' };
    });
    await say('first');
    expect(await say('second')).toMatchObject({ problem: { code: 'bad-request' } });
    await say('third');
    expect(asked[1]).toContain('"thinking"');
    expect(asked[2]).not.toContain('"thinking"');
  });

  it('a prompt is cut for a model that accepts far less than the limits', async () => {
    const small = 3_000;
    const { asked, say } = await agentWith((n) =>
      (asked[n]?.length ?? 0) - (asked[0]?.length ?? 0) > small * 4
        ? { status: 413, error: 'too long' }
        : { text: `${n} ${'x'.repeat(6_000)}` },
    );
    for (let turn = 0; turn < 8; turn++) expect(await say(`message ${turn}`)).not.toHaveProperty('problem');
  });
});

describe('one process for each turn', () => {
  it('the prompts of one-shot processes rarely begin with other messages, though none distils', async () => {
    const { asked, say, restart } = await agentWith((n) => ({ text: `${n} ${'x'.repeat(4_000)}` }), {
      view: 12_000,
      room: 40_000,
    });
    for (let turn = 0; turn < 30; turn++) {
      await say(`message ${turn}`);
      await restart();
    }
    const cuts = asked.filter((text, index) => index > 0 && !text.startsWith(asked[index - 1] ?? ''));
    expect(cuts.length).toBeGreaterThan(1);
    expect(cuts.length).toBeLessThan(8);
    expect(asked.every((text) => !text.includes('are not shown here'))).toBe(true);
  });
});

describe('after a long turn', () => {
  it('after a long turn every message is shown or summarised in the next prompt', async () => {
    const { asked, say, restart, memory } = await agentWith(
      (n) => (n < 60 ? { text: `Step ${n} ${'x'.repeat(6_000)}`, ...list(`toolu_${n}`) } : { text: 'ok' }),
      { view: 12_000, room: 200_000 },
    );
    await say('go');
    expect(memory.messages.count).toBeGreaterThan(121);
    await restart();
    await say('and now?');
    expect(asked.at(-1)).not.toContain('are not shown here');
    expect(asked.at(-1)).toContain('Messages #1 to #');
  });
});

describe('a prompt that has become too long', () => {
  const long = (n: number): ModelReply => ({ text: `${n} ${'x'.repeat(12_000)}` });
  const limits = { view: 12_000, room: 40_000 };

  it('a prompt that is too long is cut far below its limit, and then stays for many turns', async () => {
    const { asked, say } = await agentWith(long, limits);
    for (let turn = 0; turn < 40; turn++) await say(`message ${turn}`);
    const cuts = asked.filter((text, index) => index > 0 && !text.startsWith(asked[index - 1] ?? ''));
    expect(cuts.length).toBeGreaterThan(1);
    expect(cuts.length).toBeLessThan(6);
    for (const text of cuts) expect(text).toContain('What happened before');
  });

  it('a long prompt is rebuilt when the cache of the provider has expired, and not before', async () => {
    const { asked, say, clock } = await agentWith(long, limits);
    for (let turn = 0; turn < 8; turn++) await say(`message ${turn}`);
    clock.now += 4 * 60_000;
    await say('soon');
    expectPrefixes(asked);
    clock.now += 6 * 60_000;
    await say('late');
    expect(asked.at(-1)?.length).toBeLessThan((asked.at(-2)?.length ?? 0) * 0.8);
  });

  it('a prompt still has the request of a turn that outgrows it', async () => {
    const { asked, say } = await agentWith(
      (n) => (n < 60 ? { ...long(n), ...list(`toolu_${n}`) } : { text: 'ok' }),
      limits,
    );
    await say('Find the needle.');
    expect(asked.every((text) => text.includes('Find the needle.'))).toBe(true);
    expect(Math.max(...asked.map((text) => text.length))).toBeLessThan(45_000 * 4 + 40_000);
  });
});
