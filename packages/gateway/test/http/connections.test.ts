import { EventEmitter } from 'node:events';
import { createServer, get, type Server } from 'node:http';
import { type AddressInfo, connect as connectTo, type Socket } from 'node:net';
import { onTestEnd } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { limitConnections } from '../../src/http/connections.ts';

class Fake extends EventEmitter {
  destroyed = false;
  readonly remoteAddress: string;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  destroy(): void {
    this.destroyed = true;
  }
}

it('gives no address all connections, but this machine and proxies as many as there are', () => {
  const server = new EventEmitter() as unknown as Server;
  limitConnections(server, () => ['10.0.0.1'], { all: 1_000, perAddress: 2 });
  const connect = (address: string): Fake => {
    const socket = new Fake(address);
    server.emit('connection', socket as never);
    return socket;
  };
  const [first, second, third] = [connect('10.0.0.9'), connect('::ffff:10.0.0.9'), connect('10.0.0.9')];
  expect([first.destroyed, second.destroyed, third.destroyed]).toEqual([false, false, true]);
  expect(connect('10.0.0.8').destroyed).toBe(false);
  first.emit('close');
  expect(connect('10.0.0.9').destroyed).toBe(false);
  for (const address of ['127.0.0.1', '::1', '10.0.0.1']) {
    expect(Array.from({ length: 5 }, () => connect(address)).some(({ destroyed }) => destroyed)).toBe(false);
  }
});

/** A server that answers `/now` at once and everything else never. */
async function listenWithin(all: number, onRequest: () => void = () => {}): Promise<number> {
  const server = createServer((incoming, outgoing) => {
    onRequest();
    if (incoming.url === '/now') outgoing.end('ok');
  });
  limitConnections(server, () => [], { all, perAddress: 1 });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function connectedTo(port: number): Promise<Socket> {
  const socket = connectTo(port, '127.0.0.1');
  socket.on('error', () => {});
  onTestEnd(() => void socket.destroy());
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  return socket;
}

function ask(port: number, path: string): Promise<string> {
  return new Promise((resolve) => {
    const request = get({ port, path, agent: false }, (response) => {
      response.resume();
      resolve(String(response.statusCode));
    });
    request.on('error', () => resolve('refused'));
    onTestEnd(() => void request.destroy());
  });
}

it('idle connections that take every place make room for a new one, the oldest first', async () => {
  const port = await listenWithin(3);
  const idle = [await connectedTo(port), await connectedTo(port), await connectedTo(port)];
  const closed = idle.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
  expect(await ask(port, '/now')).toBe('200');
  await closed[0];
  expect(idle.map((socket) => socket.destroyed)).toEqual([true, false, false]);
});

it('connections with a request keep their place, and a new one is refused', async () => {
  let requests = 0;
  const port = await listenWithin(2, () => {
    requests += 1;
  });
  void ask(port, '/never');
  void ask(port, '/never');
  await expect.poll(() => requests).toBe(2);
  expect(await ask(port, '/now')).toBe('refused');
});
