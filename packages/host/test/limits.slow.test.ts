import { makeProfile, open } from '@plugboard/host';
import { listUnenforcedLimits } from '@plugboard/process';
import type { DialectName, Event } from '@plugboard/protocol';
import { profileFor, temporaryDirectory } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { collect, texts } from './agents.ts';

const onLinux = process.platform === 'linux';

async function limitsOf(limits: unknown): Promise<unknown> {
  const fields = { dialect: 'terminal', command: 'x', limits };
  return (await makeProfile(fields, { name: 'mine', directory: '/tmp' })).limits;
}

describe.concurrent('limits in a profile', () => {
  it.each([
    [{ memory: '512 MiB' }, { memoryBytes: 536_870_912 }],
    [
      { memory: '1.5gib', processes: 64 },
      { memoryBytes: 1_610_612_736, processes: 64 },
    ],
    [{ memory: 2_000_000 }, { memoryBytes: 2_000_000 }],
    [{ memory: '2000000' }, { memoryBytes: 2_000_000 }],
    [{}, undefined],
    [undefined, undefined],
  ])('say %j', async (limits, wanted) => expect(await limitsOf(limits)).toEqual(wanted));

  it.each([
    [{ memory: '512 MB' }, /limits\.memory: Expected bytes as a number, or text such as 512 MiB/],
    [{ memory: '-5 MiB' }, /limits\.memory/],
    [{ memory: 512 }, /limits\.memory: .*1 MiB or more/],
    [{ memory: Number.NaN }, /limits\.memory/],
    [{ memory: '9'.repeat(400) }, /limits\.memory/],
    [{ memory: null }, /limits\.memory/],
    [{ processes: 0 }, /limits\.processes/],
    [{ processes: 1.5 }, /limits\.processes/],
    [{ memry: 1 }, /memry/],
  ])('cannot say %j', async (limits, problem) => {
    await expect(limitsOf(limits)).rejects.toThrow(problem);
  });
});

/** Takes memory when it is told to, and answers otherwise; it waits for its turn. */
const GREEDY = `
  process.stdin.once('data', (line) => {
    const held = [];
    if (String(line).includes('grow')) setInterval(() => held.push(Buffer.alloc(2e6, 1)), 10);
    else process.stdout.write(JSON.stringify({ type: 'message', text: 'small' }) + '\\n', () => process.exit());
  });`;

const RESIDENT = `
  import { createInterface } from 'node:readline';
  createInterface({ input: process.stdin }).on('line', (line) => {
    const held = [];
    if (line.includes('grow')) setInterval(() => held.push(Buffer.alloc(2e6, 1)), 10);
    else console.log(JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'small' }));
  });`;

const SAID = '" used more than 100 MiB of memory and was ended';
const memory = { memoryBytes: 100 * 1024 ** 2 };

function openLimited(dialect: DialectName, code: string, workspace: string, more: object = {}) {
  const argv = [process.execPath, '--input-type=module', '-e', code];
  const profile = { ...profileFor(dialect, argv, workspace), limits: { ...memory }, ...more };
  return open(profile, { environment: process.env });
}

describe.runIf(onLinux)('an agent with a limit of memory', () => {
  it('is told to have broken it, and answers within it', async () => {
    using workspace = temporaryDirectory();
    const agent = openLimited('terminal', GREEDY, workspace.path);
    const { end } = await collect(agent, { text: 'grow' });
    expect(end).toMatchObject({
      outcome: 'error',
      error: { code: 'memory', message: expect.stringContaining(SAID) },
    });
    expect(texts((await collect(agent, { text: 'hello' })).events)).toEqual(['small']);
    await agent.close();
  });

  it('has it also when its process was started ahead', async () => {
    using workspace = temporaryDirectory();
    const agent = openLimited('terminal', GREEDY, workspace.path, { prewarm: 1 });
    for (const text of ['hello', 'grow', 'hello']) {
      const { events, end } = await collect(agent, { text });
      if (text === 'grow') expect(end.error?.message).toContain(SAID);
      else expect(texts(events)).toEqual(['small']);
    }
    await agent.close();
  });

  it('that stays between turns is told to have broken it, and is there for the next', async () => {
    using workspace = temporaryDirectory();
    const agent = openLimited('nuum', RESIDENT, workspace.path);
    expect((await collect(agent, { text: 'hello' })).end).toMatchObject({
      outcome: 'success',
      text: 'small',
    });
    const { end } = await collect(agent, { text: 'grow' });
    expect(end).toMatchObject({ outcome: 'error', error: { message: expect.stringContaining(SAID) } });
    expect((await collect(agent, { text: 'hello' })).end).toMatchObject({ outcome: 'success' });
    await agent.close();
  });
});

const warnings = (events: readonly Event[]): string[] =>
  events.flatMap((event) => (event.type === 'log' && event.level === 'warning' ? [event.text] : []));

describe.runIf(listUnenforcedLimits({ processes: 50 }).length > 0)('a limit that cannot be enforced', () => {
  it.each([
    ['terminal', GREEDY],
    ['nuum', RESIDENT],
  ] as const)('is warned of once by %s', async (dialect, code) => {
    using workspace = temporaryDirectory();
    const agent = openLimited(dialect, code, workspace.path, { limits: { processes: 50 } });
    expect(warnings((await collect(agent, { text: 'hello' })).events)).toEqual([
      expect.stringContaining('The limit of processes is not enforced'),
    ]);
    expect(warnings((await collect(agent, { text: 'hello' })).events)).toEqual([]);
    await agent.close();
  });
});
