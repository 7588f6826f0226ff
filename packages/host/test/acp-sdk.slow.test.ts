import { fileURLToPath } from 'node:url';
import { type Ask, open } from '@plugboard/host';
import { createTurn, type End, type Event, type TurnInput } from '@plugboard/protocol';
import { onTestEnd, profileFor, temporaryDirectory } from '@plugboard/testkit';
import { expect, it } from 'vitest';

const SDK_AGENT = [process.execPath, fileURLToPath(new URL('./programs/acp-sdk-agent.ts', import.meta.url))];

type Run = (
  turn: Partial<TurnInput>,
  ask?: Ask,
  signal?: AbortSignal,
  onEvent?: (event: Event) => void,
) => Promise<{ events: Event[]; end: End }>;

function openSdkAgent(settings: Partial<Record<string, unknown>> = {}): Run {
  const directory = temporaryDirectory();
  const agent = open(profileFor('acp', SDK_AGENT, directory.path, settings), { environment: process.env });
  let turns = 0;
  onTestEnd(async () => {
    await agent.close({ graceMs: 200 });
    directory[Symbol.dispose]();
  });
  return async (turn, ask, signal, onEvent) => {
    turns += 1;
    const run = agent.run(createTurn({ id: `t${turns}`, session: { key: 's' }, ...turn }), signal, ask);
    const events: Event[] = [];
    for await (const event of run) {
      events.push(event);
      onEvent?.(event);
    }
    return { events, end: await run.result };
  };
}

const faultsIn = (events: readonly Event[]): Event[] => events.filter(({ type }) => type === 'fault');

it('an agent of the official SDK answers turns, with options, in one session', async () => {
  const run = openSdkAgent();
  const first = await run({ text: 'hi', session: { key: 's', options: { model: 'small', fast: true } } });
  expect(first.end).toMatchObject({ outcome: 'success', text: 'You said: hi (small, true)' });
  expect(first.events.find(({ type }) => type === 'ready')).toMatchObject({
    version: '2.4.0',
    model: 'small',
  });
  expect((await run({ text: 'again' })).end.text).toBe('You said: again (small, true)');
  expect(faultsIn(first.events)).toEqual([]);
});

it('an agent of the official SDK reads the capabilities of the host as the schema has them', async () => {
  const { end } = await openSdkAgent()({ text: 'host' });
  expect(JSON.parse(end.text)).toMatchObject({
    protocolVersion: 1,
    clientCapabilities: {
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      elicitation: { form: {}, url: {} },
      session: { configOptions: { boolean: {} } },
    },
    clientInfo: { name: 'plugboard' },
  });
});

it('an agent of the official SDK reads every kind of block, and MCP servers', async () => {
  const run = openSdkAgent({
    mcpServers: {
      files: { command: 'files', args: [], env: { A: 'b' } },
      web: { url: 'https://example.org/mcp' },
    },
  });
  const attachments = [
    { kind: 'file', path: '/tmp/a b.txt' },
    { kind: 'image', url: 'data:image/png;base64,aGk=' },
    { kind: 'audio', url: 'data:audio/wav;base64,aGk=' },
    { kind: 'file', url: 'data:text/plain;base64,aGk=', name: 'n.txt' },
  ] as const;
  const { end } = await run({ text: 'blocks', attachments });
  expect(end.text).toBe('text resource_link image audio resource');
});

it.each(['a', 'b'])('an agent of the official SDK takes the option %s of its question', async (option) => {
  const { events } = await openSdkAgent()({ text: 'tool' }, async () => ({
    by: 'ada',
    via: 'person',
    option,
  }));
  expect(events.find(({ type }) => type === 'tool-result')).toMatchObject({
    content: JSON.stringify({ outcome: 'selected', optionId: option }),
    isError: option === 'b',
  });
});

it('an agent of the official SDK takes the answer to its form', async () => {
  const ask: Ask = async () => ({ by: 'ada', via: 'person', data: { name: 'Ada', age: 36 } });
  const { end } = await openSdkAgent()({ text: 'ask' }, ask);
  expect(JSON.parse(end.text)).toEqual({ action: 'accept', content: { name: 'Ada', age: 36 } });
});

it('an agent of the official SDK hears a cancel while it asks', async () => {
  const run = openSdkAgent();
  const stop = new AbortController();
  const ask: Ask = () => new Promise(() => stop.abort());
  expect((await run({ text: 'tool' }, ask, stop.signal)).end.outcome).toBe('cancelled');
  expect((await run({ text: 'after' })).end.outcome).toBe('success');
});

it('an agent of the official SDK hears a cancel while it streams', async () => {
  const stop = new AbortController();
  const run = openSdkAgent();
  const { end } = await run({ text: 'slow' }, undefined, stop.signal, (event) => {
    if (event.type === 'delta') stop.abort();
  });
  expect(end).toMatchObject({ outcome: 'cancelled', text: 'tick' });
});

it('an error of the official SDK is told by its details', async () => {
  const { end } = await openSdkAgent()({ text: 'fail' });
  expect(end).toMatchObject({ outcome: 'error', error: { code: '-32603', message: 'the model is gone' } });
});
