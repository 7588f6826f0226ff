import { EventEmitter } from 'node:events';
import type { Server } from 'node:net';
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
  limitConnections(server, () => ['10.0.0.1'], 2);
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
