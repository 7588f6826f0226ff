import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { JsonObject } from '@plugboard/protocol';
import { processesWith, type TemporaryDirectory, temporaryDirectory, until } from '@plugboard/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMcp, type Mcp } from '../../../src/tools/mcp/mcp.ts';
import type { Tool } from '../../../src/tools/tool.ts';
import { call, contextIn, fail, succeed } from '../context.ts';

const FIXTURE = join(import.meta.dirname, 'fixtures', 'server.ts');

let place: TemporaryDirectory;
let mcp: Mcp;
let logged: string[];

beforeEach(() => {
  place = temporaryDirectory();
  logged = [];
  mcp = createMcp({
    directory: place.path,
    environment: { PATH: process.env.PATH ?? '', HOME: '/nowhere', ANTHROPIC_API_KEY: 'secret' },
    version: '1.0.0',
    log: (text) => logged.push(text),
    readyMs: 8000,
  });
});
afterEach(async () => {
  await mcp.close();
  expect(processesWith(place.path)).toEqual([]);
  place[Symbol.dispose]();
});

const journal = (name: string): string => join(place.path, name);

/** Says where a server notes what happens to it; its path marks the process, too. */
function entry(mode = 'plain', more: JsonObject = {}): JsonObject {
  return { command: process.execPath, args: [FIXTURE, mode, journal(mode)], ...more };
}

function starts(mode = 'plain'): number {
  if (!existsSync(journal(mode))) return 0;
  return readFileSync(journal(mode), 'utf8').match(/^started/gm)?.length ?? 0;
}

function tool(name: string): Tool {
  const found = mcp.tools().find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no ${name} among ${mcp.tools().map((one) => one.name)}`);
  return found;
}

const context = contextIn('/');

describe('a server', () => {
  it('the tools of a server are offered once it is configured', async () => {
    await mcp.configure({ files: entry() });
    expect(mcp.tools().map(({ name }) => name)).toContain('files__echo');
    expect(tool('files__echo')).toMatchObject({
      description: 'does echo',
      effect: 'run',
      parameters: { type: 'object' },
    });
    expect(await succeed(tool('files__echo'), { text: 'hello' }, context)).toBe('you said hello');
    expect(mcp.status()).toEqual([{ name: 'files', state: 'connected', tools: 7 }]);
  });

  it('a server keeps its connection while its entry is the same, in any order of keys', async () => {
    await mcp.configure({ files: entry('plain', { timeout: 5000, env: { A: '1', B: '2' } }) });
    const { command, args } = entry();
    await mcp.configure({
      files: { env: { B: '2', A: '1' }, timeout: 5000, args: args ?? [], command: command ?? '' },
    });
    await mcp.configure(undefined);
    expect(starts()).toBe(1);
    await mcp.configure({ files: entry('plain', { timeout: 6000 }) });
    expect(starts()).toBe(2);
    await until(() => processesWith(place.path).length === 1, 'the first one is gone');
  });

  it('a server that is no longer configured is ended', async () => {
    await mcp.configure({ files: entry(), more: entry('noisy') });
    expect(processesWith(place.path)).toHaveLength(2);
    await mcp.configure({ more: entry('noisy') });
    expect(mcp.tools().every(({ name }) => name.startsWith('more__'))).toBe(true);
    expect(processesWith(place.path)).toHaveLength(1);
    await mcp.configure({});
    expect(mcp.tools()).toEqual([]);
    expect(processesWith(place.path)).toEqual([]);
  });

  it('a server that ignores the end of its input and SIGTERM is killed', async () => {
    await mcp.configure({ files: entry('stubborn') });
    const started = performance.now();
    await mcp.close();
    expect(performance.now() - started).toBeLessThan(4000);
    expect(processesWith(place.path)).toEqual([]);
  });

  it('a disabled server is not started', async () => {
    await mcp.configure({ files: entry('plain', { disabled: true }) });
    expect(mcp.status()).toEqual([{ name: 'files', state: 'disabled', tools: 0 }]);
    expect(starts()).toBe(0);
  });

  it('a server gets a small environment without secrets', async () => {
    await mcp.configure({ files: entry('plain', { env: { OWN: 'x' } }) });
    const names = (await succeed(tool('files__environment'), {}, context)).split(' ');
    expect(names).toContain('OWN');
    expect(names).toContain('PATH');
    expect(names).not.toContain('ANTHROPIC_API_KEY');
  });

  it('a server may print other lines before its first message', async () => {
    await mcp.configure({ files: entry('noisy') });
    expect(await succeed(tool('files__echo'), { text: 'a' }, context)).toBe('you said a');
    expect(logged.join('\n')).toContain('no message: Welcome');
  });

  it('a server can change its tools', async () => {
    await mcp.configure({ files: entry('changing') });
    await succeed(tool('files__first'), {}, context);
    await until(() => mcp.tools().some(({ name }) => name === 'files__second'), 'the new tool is there');
  });
});

describe('an answer', () => {
  it('an answer names blocks that are not text, in order', async () => {
    await mcp.configure({ files: entry() });
    expect(await succeed(tool('files__media'), {}, context)).toBe(
      [
        'look:',
        '[image image/png, 12 KB]',
        '[audio audio/wav, 3 bytes]',
        '[resource file:///a]',
        '[resource file:///b]',
        'inside',
        '[resource file:///c, x/y, 3 bytes]',
      ].join('\n'),
    );
  });

  it('an answer keeps its error flag', async () => {
    await mcp.configure({ files: entry() });
    expect(await fail(tool('files__complain'), {}, context)).toBe('it went wrong');
  });

  it('an answer that exceeds its timeout is an error, and the server stays connected', async () => {
    await mcp.configure({ files: entry('plain', { timeout: 2000 }) });
    expect(await fail(tool('files__slow'), {}, context)).toMatch(
      /files did not answer the call of slow: .*timed out/i,
    );
    expect(await succeed(tool('files__late'), {}, context)).toBe('at last');
    expect(starts()).toBe(1);
  });

  it('an interrupted turn cancels the call, and the server is told', async () => {
    await mcp.configure({ files: entry() });
    const controller = new AbortController();
    const outcome = call(tool('files__slow'), {}, { ...context, signal: controller.signal });
    await until(() => readFileSync(journal('plain'), 'utf8').includes('tools/call'), 'the call is there');
    const started = performance.now();
    controller.abort();
    expect((await outcome).content).toBe('The call was cancelled.');
    expect(performance.now() - started).toBeLessThan(200);
    await until(
      () => readFileSync(journal('plain'), 'utf8').includes('notifications/cancelled'),
      'it was told',
    );
  });

  it('a message that is too long ends the server, not the agent', async () => {
    await mcp.configure({ files: entry('flood') });
    const text = await fail(tool('files__flood'), {}, context);
    expect(text).toContain('did not answer');
    expect(logged.join('\n')).toContain('more than 16777216 bytes');
  });
});

describe('a server that dies', () => {
  it('a server that ends during a call gives an error, and is restarted by the next call', async () => {
    await mcp.configure({ files: entry() });
    expect(await fail(tool('files__die'), {}, context)).toContain('it ended with exit code 7');
    expect(mcp.status()[0]).toMatchObject({ state: 'failed', tools: 7 });
    expect(await succeed(tool('files__echo'), { text: 'again' }, context)).toBe('you said again');
    expect(starts()).toBe(2);
  });

  it('a server that ended between calls is restarted once for several calls', async () => {
    await mcp.configure({ files: entry() });
    for (const pid of processesWith(place.path)) process.kill(pid, 'SIGKILL');
    await until(() => mcp.status()[0]?.state === 'failed', 'it is gone');
    const both = [
      call(tool('files__echo'), { text: 'a' }, context),
      call(tool('files__echo'), { text: 'b' }, context),
    ];
    expect((await Promise.all(both)).map(({ content }) => content)).toEqual(['you said a', 'you said b']);
    expect(starts()).toBe(2);
  });

  it('a server that ends at its start is reported with its last output', async () => {
    await mcp.configure({ bad: entry('dies-at-start'), good: entry() });
    expect(mcp.status()).toEqual([
      {
        name: 'bad',
        state: 'failed',
        tools: 0,
        problem: 'it ended with exit code 3 (cannot find my configuration)',
      },
      { name: 'good', state: 'connected', tools: 7 },
    ]);
    expect(mcp.tools().every(({ name }) => name.startsWith('good__'))).toBe(true);
  });

  it('a server that always ends is restarted after growing pauses', async () => {
    await mcp.configure({ files: entry('lives-once') });
    expect(await fail(tool('files__die'), {}, context)).toContain('exit code 7');
    expect(await fail(tool('files__echo'), {}, context)).toContain('it ended with exit code 3');
    expect(await fail(tool('files__echo'), {}, context)).toContain('it is tried again in a while');
    expect(starts('lives-once')).toBe(2);
  });

  it('tools of an earlier configuration do not restart a server', async () => {
    await mcp.configure({ files: entry() });
    const echo = tool('files__echo');
    await mcp.configure({});
    expect(await fail(echo, {}, context)).toContain('no longer configured');
    expect(starts()).toBe(1);
  });
});

describe('a server that is slow', () => {
  it('a slow server delays a turn for a bounded time, and can be closed meanwhile', async () => {
    const hasty = createMcp({
      directory: place.path,
      environment: {},
      version: '1',
      log: () => {},
      readyMs: 500,
    });
    const started = performance.now();
    await hasty.configure({ slow: entry('never-ready') });
    expect(performance.now() - started).toBeLessThan(3000);
    expect(hasty.status()).toEqual([{ name: 'slow', state: 'connecting', tools: 0 }]);
    await hasty.close();
    expect(performance.now() - started).toBeLessThan(6000);
    expect(processesWith(place.path)).toEqual([]);
  });

  it('a slow server fails after its own timeout', async () => {
    await mcp.configure({ slow: entry('never-ready', { timeout: 300 }) });
    expect(mcp.status()[0]).toMatchObject({ state: 'failed', problem: expect.stringMatching(/timed out/i) });
  });
});

it('tools get names that models accept, each its own', async () => {
  await mcp.configure({ 'my server': entry('names') });
  const names = mcp.tools().map(({ name }) => name);
  expect(names).toHaveLength(4);
  expect(new Set(names).size).toBe(4);
  for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  const renamed = names.filter((name) => /^my_server__bad_name__[0-9a-f]{8}$/.test(name));
  expect(renamed).toHaveLength(2);
  expect(await succeed(tool(renamed[0] ?? ''), {}, context)).toBe('called by its real name');
  expect(logged.join('\n')).toContain('it has no name');
  mcp.tools();
  expect(logged.filter((text) => text.includes('it has no name'))).toHaveLength(1);
});

it('invalid tools are reported and left out, the others are offered', async () => {
  await mcp.configure({
    a: 7,
    b: { command: 3 },
    c: {},
    d: { url: 'ftp://x' },
    e: { command: 'x', url: 'http://x' },
    good: entry(),
  });
  const problems = Object.fromEntries(mcp.status().map(({ name, problem }) => [name, problem]));
  expect(problems.a).toContain('must be an object');
  expect(problems.b).toContain('`command`');
  expect(problems.c).toContain('either a command or a url');
  expect(problems.d).toContain('http or https');
  expect(problems.e).toContain('either a command or a url');
  expect(problems.good).toBeUndefined();
});

it('a program that does not exist is reported', async () => {
  await mcp.configure({ a: { command: 'no-such-program-anywhere' }, b: entry('plain', { cwd: 'nowhere' }) });
  expect(mcp.status()[0]?.problem).toContain('no-such-program-anywhere');
  expect(mcp.status()[1]?.problem).toContain('nowhere');
});

it('no server is started after close', async () => {
  await mcp.close();
  await mcp.configure({ files: entry() });
  expect(starts()).toBe(0);
});

describe('over the network', () => {
  let server: Server | undefined;
  afterEach(() => server?.close().closeAllConnections());

  it('an HTTP server gets the configured headers', async () => {
    const seen: (string | undefined)[] = [];
    server = createServer((request, response) => {
      if (request.method !== 'POST') return response.writeHead(405).end();
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      return request.on('end', () => {
        const { id, method } = JSON.parse(body);
        seen.push(request.headers.authorization);
        if (id === undefined) return response.writeHead(202).end();
        const result =
          method === 'initialize'
            ? {
                protocolVersion: '2025-06-18',
                capabilities: { tools: {} },
                serverInfo: { name: 'x', version: '1' },
              }
            : method === 'tools/list'
              ? { tools: [{ name: 'hi', inputSchema: { type: 'object' } }] }
              : { content: [{ type: 'text', text: 'hello over http' }] };
        return response
          .setHeader('content-type', 'application/json')
          .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server?.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await mcp.configure({
      web: { url: `http://127.0.0.1:${port}/mcp`, headers: { Authorization: 'Bearer x' } },
    });
    expect(tool('web__hi').effect).toBe('network');
    expect(await succeed(tool('web__hi'), {}, context)).toBe('hello over http');
    expect(new Set(seen)).toEqual(new Set(['Bearer x']));
  });

  it('headers are not sent to another machine without TLS', async () => {
    await mcp.configure({ web: { url: 'http://example.com/mcp', headers: { Authorization: 'Bearer x' } } });
    expect(mcp.status()[0]?.problem).toContain('only sent over https');
  });

  it('an HTTP server that cannot be reached is reported', async () => {
    await mcp.configure({
      web: { url: 'http://127.0.0.1:1/mcp' },
      old: { url: 'http://127.0.0.1:1/sse', transport: 'sse' },
    });
    expect(mcp.status().map(({ state }) => state)).toEqual(['failed', 'failed']);
  });
});
