import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { until } from '@plugboard/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { createPolicy, type PolicyOptions } from '../../../src/policy/policy.ts';
import { type FetchLimits, webFetchTool } from '../../../src/tools/web/fetch.ts';
import { call, contextIn, fail, succeed } from '../context.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Options {
  readonly allowHosts?: readonly string[];
  readonly rules?: PolicyOptions;
  readonly limits?: Partial<FetchLimits>;
  readonly address?: string;
}

function toolWith({ allowHosts = [], rules = {}, limits = {}, address = '127.0.0.1' }: Options) {
  return webFetchTool({
    policy: createPolicy(rules),
    resolve: async () => [{ address, family: 4 }],
    allowHosts,
    limits: { totalMs: 5000, idleMs: 3000, bytes: 2 * 1024 * 1024, ...limits },
  });
}

const context = contextIn('/');

async function fetched(listener: RequestListener, more: Omit<Options, 'allowHosts'> = {}, input = {}) {
  const host = await serve(listener);
  return call(toolWith({ allowHosts: [host], ...more }), { url: `http://${host}/`, ...input }, context);
}

describe('what is shown', () => {
  it('a page is shown as Markdown', async () => {
    const { content, isError } = await fetched((_, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8').end('<h1>Hi</h1><a href="/x">y</a>');
    });
    expect(isError).toBe(false);
    expect(content).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/ \(status 200, text\/html\)\n\n# Hi\n\n\[y\]\(http:\/\/127/,
    );
  });

  it('JSON and text are shown unchanged, in their own charset', async () => {
    const json = await fetched((_, response) =>
      response.setHeader('content-type', 'application/json').end('{"a":1}'),
    );
    expect(json.content).toContain('{"a":1}');
    const latin = await fetched((_, response) => {
      response
        .setHeader('content-type', 'text/plain; charset=iso-8859-1')
        .end(Buffer.from('caf\xe9', 'latin1'));
    });
    expect(latin.content).toContain('café');
    const meta = await fetched((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(Buffer.from('<meta charset="windows-1252"><p>caf\xe9</p>', 'latin1'));
    });
    expect(meta.content).toContain('café');
  });

  it('a body without a type is shown if it is text', async () => {
    expect((await fetched((_, response) => response.end('plain words'))).content).toContain('plain words');
    const binary = await fetched((_, response) => response.end(Buffer.alloc(100)));
    expect(binary).toMatchObject({
      isError: true,
      content: expect.stringContaining('unknown type (100 bytes)'),
    });
    const image = await fetched((_, response) => response.setHeader('content-type', 'image/png').end('x'));
    expect(image.content).toContain('is not text but image/png');
  });

  it('an HTTP error is shown with its text', async () => {
    const { content, isError } = await fetched((_, response) => response.writeHead(404).end('gone'));
    expect(isError).toBe(true);
    expect(content).toContain('status 404');
    expect(content).toContain('gone');
  });

  it('a long text is cut at maxChars', async () => {
    const { content } = await fetched(
      (_, response) => response.end('x'.repeat(10_000)),
      {},
      { maxChars: 100 },
    );
    expect(content).toContain(`${'x'.repeat(100)}\n\n(Cut: only the first 100 characters are shown.)`);
  });
});

describe('what is sent', () => {
  it('a request has five headers, none with secrets', async () => {
    let headers = {};
    await fetched((request, response) => {
      headers = request.headers;
      response.end();
    });
    expect(Object.keys(headers).sort()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ]);
  });

  it('a request goes to the checked address, whatever the name resolves to later', async () => {
    const host = await serve((request, response) => response.end(`you asked ${request.headers.host}`));
    const port = host.split(':')[1];
    const tool = toolWith({ allowHosts: [`docs.example.test:${port}`] });
    expect(await succeed(tool, { url: `http://docs.example.test:${port}/` }, context)).toContain(
      'you asked docs.example.test',
    );
  });
});

describe('a redirect', () => {
  const to =
    (location: string): RequestListener =>
    (request, response) =>
      request.url === '/' ? response.writeHead(302, { location }).end() : response.end(`at ${request.url}`);

  it('a redirect is followed', async () => {
    expect((await fetched(to('/next'))).content).toContain('at /next');
  });

  it('redirects are followed three times at most', async () => {
    let count = 0;
    const { content } = await fetched((_, response) => {
      count += 1;
      response.writeHead(301, { location: `/${count}` }).end();
    });
    expect(content).toContain('redirects more than 3 times');
    expect(count).toBe(4);
  });

  it('a redirect to this machine is refused', async () => {
    const hidden = await serve((_, response) => response.end('secret'));
    for (const host of [
      hidden,
      hidden.replace('127.0.0.1', 'localhost'),
      hidden.replace('127.0.0.1', '[::1]'),
    ]) {
      const { content, isError } = await fetched(to(`http://${host}/`));
      expect(isError).toBe(true);
      expect(content).toContain('not on the public internet');
    }
  });

  it('a redirect to another protocol, or to a URL with a password, is refused', async () => {
    expect((await fetched(to('file:///etc/passwd'))).content).toContain('file: addresses');
    expect((await fetched(to('http://a:b@example.com/'))).content).toContain('user name or password');
  });

  it('a redirect that a rule denies or asks about is refused', async () => {
    const denied = await fetched(to('/private/x'), { rules: { deny: ['web_fetch:*/private/*'] } });
    expect(denied.content).toContain('which is not permitted');
    const asked = await fetched(to('/private/x'), { rules: { ask: ['web_fetch:*/private/*'] } });
    expect(asked.content).toContain('which is not permitted');
  });
});

describe('a body', () => {
  const packed =
    (encoding: string, bytes: Buffer): RequestListener =>
    (_, response) => {
      response.writeHead(200, { 'content-encoding': encoding, 'content-type': 'text/plain' }).end(bytes);
    };

  it('a compressed body is decompressed', async () => {
    expect((await fetched(packed('gzip', gzipSync('words')))).content).toContain('words');
    expect((await fetched(packed('br', brotliCompressSync('words')))).content).toContain('words');
    expect((await fetched(packed('deflate', deflateSync('words')))).content).toContain('words');
  });

  it.each([
    ['gzip', gzipSync(Buffer.alloc(200 * 1024 * 1024, 'x'))],
    ['br', brotliCompressSync(Buffer.alloc(50 * 1024 * 1024, 'x'), { params: {} })],
  ])('a decompression bomb of %s is cut without being held', async (encoding, bomb) => {
    const before = process.memoryUsage().rss;
    const { content } = await fetched(packed(encoding, bomb));
    expect(content).toContain('(Cut: only the first 50000 characters are shown.)');
    expect(process.memoryUsage().rss - before).toBeLessThan(60 * 1024 * 1024);
  });

  it('an unknown or invalid compression is refused', async () => {
    expect((await fetched(packed('gzip, gzip', Buffer.from('x')))).content).toContain(
      'which is not understood',
    );
    expect((await fetched(packed('constructor', Buffer.from('x')))).content).toContain(
      'which is not understood',
    );
    expect((await fetched(packed('gzip', Buffer.from('no gzip')))).isError).toBe(true);
  });

  it('a body without end is cut', async () => {
    const { content } = await fetched((_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    });
    expect(content).toContain('(Cut:');
  });

  it('a wrong content-length and a broken connection are errors', async () => {
    const { content, isError } = await fetched((_, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('short');
      setTimeout(() => response.destroy(), 50);
    });
    expect(isError, content).toBe(true);
  });

  it('a silent body is given up', async () => {
    const { content } = await fetched((_, response) => void response.write('begin'), {
      limits: { idleMs: 200 },
    });
    expect(content).toContain('nothing for 200 ms');
  });

  it('a slow body is given up when the time is over', async () => {
    const started = performance.now();
    const { content } = await fetched(
      (_, response) => {
        const drip = setInterval(() => response.write('.'), 30);
        response.on('close', () => clearInterval(drip));
      },
      { limits: { totalMs: 400 } },
    );
    expect(content).toContain('took longer than 400 ms');
    expect(performance.now() - started).toBeLessThan(1500);
  });
});

it('a server that never answers is given up', async () => {
  const { content } = await fetched(() => {}, { limits: { totalMs: 300 } });
  expect(content).toContain('took longer than 300 ms');
});

it('an interrupted fetch closes its connection', async () => {
  let open = 0;
  const host = await serve((request) => {
    open += 1;
    request.socket.on('close', () => {
      open -= 1;
    });
  });
  const controller = new AbortController();
  const outcome = call(
    toolWith({ allowHosts: [host] }),
    { url: `http://${host}/` },
    { ...context, signal: controller.signal },
  );
  await until(() => open === 1, 'the request is there');
  controller.abort();
  expect((await outcome).content).toBe('The call was cancelled.');
  await until(() => open === 0, 'the connection is closed');
});

it('a fetch is interrupted while its name is resolved', async () => {
  const tool = webFetchTool({
    policy: createPolicy({}),
    resolve: () => new Promise(() => {}),
    allowHosts: [],
    limits: { totalMs: 5000, idleMs: 1000, bytes: 1000 },
  });
  const { content } = await call(
    tool,
    { url: 'https://example.com/' },
    { ...context, signal: AbortSignal.timeout(50) },
  );
  expect(content).toBe('The call was cancelled.');
});

it('a server that cannot be reached is reported', async () => {
  const host = await serve(() => {});
  servers.splice(0).forEach((server) => {
    server.close();
  });
  expect(await fail(toolWith({ allowHosts: [host] }), { url: `http://${host}/` }, context)).toContain(
    'ECONNREFUSED',
  );
});

it('this machine is refused by default', async () => {
  const host = await serve((_, response) => response.end('secret'));
  expect(await fail(toolWith({}), { url: `http://${host}/` }, context)).toContain(
    'not on the public internet',
  );
  expect(await fail(toolWith({}), { url: `http://innocent.test:${host.split(':')[1]}/` }, context)).toContain(
    'loopback',
  );
});
