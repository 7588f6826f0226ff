import { expect, it } from 'vitest';
import { readConfig, toCanonicalJson } from '../../../src/tools/mcp/config.ts';
import { offeredName, offerTools } from '../../../src/tools/mcp/offer-tools.ts';
import type { Server } from '../../../src/tools/mcp/server.ts';

it('equal configurations have the same canonical text', () => {
  expect(toCanonicalJson({ a: 1, b: { c: [1, 2], d: null } })).toBe(
    toCanonicalJson({ b: { d: null, c: [1, 2] }, a: 1 }),
  );
  expect(toCanonicalJson({ a: [1, 2] })).not.toBe(toCanonicalJson({ a: [2, 1] }));
  expect(toCanonicalJson({ a: undefined })).toBe(toCanonicalJson({}));
  expect(toCanonicalJson({ a: '1' })).not.toBe(toCanonicalJson({ a: 1 }));
});

it.each([
  [{ command: 'x', args: [1] }, '`args.0`'],
  [{ command: 'x', env: { A: 1 } }, '`env.A`'],
  [{ command: '' }, 'must not be empty'],
  [{ command: 'x\0' }, 'zero byte'],
  [{ command: 'x', timeout: -1 }, '`timeout`'],
  [{ url: 'nonsense' }, 'http or https'],
  [{ url: 'https://x', transport: 'carrier pigeon' }, '`transport`'],
  [{ url: 'http://user:pass@example.com/' }, 'only sent over https'],
  [null, 'must be an object'],
])('the server entry %j is refused with a reason', (entry, problem) => {
  const read = readConfig(entry);
  expect(read.ok ? '' : read.problem).toContain(problem);
});

it('unknown fields of a server entry are ignored', () => {
  expect(readConfig({ url: 'https://x/', maxRetries: 3 }).ok).toBe(true);
});

it('two tools never have the same name', () => {
  const first = offeredName('a', 'b__c', new Set());
  const second = offeredName('a__b', 'c', new Set([first]));
  expect(first).toBe('a__b__c');
  expect(second).not.toBe(first);
});

it('of a server, two hundred tools are offered, with short descriptions and inputs', () => {
  const schema = { type: 'object', properties: {} } as const;
  const long = { ...schema, description: 'x'.repeat(70_000) };
  const listed = [
    { name: 'talkative', description: 'x'.repeat(5_000), inputSchema: schema },
    { name: 'large', inputSchema: long },
    ...Array.from({ length: 250 }, (_, at) => ({ name: `t${at}`, inputSchema: schema })),
  ];
  const problems: string[] = [];
  const server: Server = {
    name: 's',
    effect: 'run',
    ready: Promise.resolve(),
    tools: () => listed,
    problem: () => undefined,
    isConnected: () => true,
    call: async () => ({ content: [] }),
    close: async () => {},
  };
  const tools = offerTools([server], (text) => problems.push(text));
  expect(tools).toHaveLength(199);
  expect(tools[0]?.description).toHaveLength(4_000);
  expect(problems).toEqual([
    'The server s has more than 200 tools; the rest is left out.',
    'A tool of the server s is left out: the description of the input of large is too long.',
  ]);
});
