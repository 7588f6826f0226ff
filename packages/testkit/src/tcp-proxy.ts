import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Forwards connections to a port on loopback, and cuts them where a test says. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /**
   * Cuts the next connection whose client sends bytes that match: `before` they are forwarded, or `after` the server has
   * answered them. The client sees no byte of the answer.
   */
  cutNext(pattern: RegExp, when: 'before' | 'after'): void;
  /** Closes every connection, with a reset. New ones are forwarded. */
  resetAll(): void;
  /** With `true`, holds all bytes back in both directions, as a cut cable does; `false` forwards them. */
  freeze(isFrozen: boolean): void;
  /** Forwards each chunk `ms` later. */
  delay(ms: number): void;
  /** Number of connections cut so far. */
  readonly cuts: number;
}

export async function startTcpProxy(target: number): Promise<TcpProxy> {
  let rule: { readonly pattern: RegExp; readonly when: 'before' | 'after' } | undefined;
  let cuts = 0;
  const sockets = new Set<Socket>();
  let delayMs = 0;
  let thaw = Promise.resolve();
  let release = (): void => {};
  const server = createServer((client) => {
    const upstream = createConnection(target, '127.0.0.1');
    let isCut = false;
    const forward = createForwarder(() => ({ thaw, delayMs }));
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end).on('close', () => {
        sockets.delete(socket);
        end();
      });
    }
    client.on('data', (bytes) => {
      const found = rule?.pattern.test(bytes.toString('latin1')) === true ? rule : undefined;
      if (found !== undefined) {
        rule = undefined;
        cuts += 1;
        isCut = true;
      }
      if (found?.when === 'before') end();
      else forward(upstream, bytes);
    });
    upstream.on('data', (bytes) => (isCut ? end() : forward(client, bytes)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cutNext(pattern, when) {
      rule = { pattern, when };
    },
    resetAll() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    freeze(isFrozen) {
      release();
      if (!isFrozen) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      thaw = promise;
      release = resolve;
    },
    delay(ms) {
      delayMs = ms;
    },
    get cuts() {
      return cuts;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Writes chunks in their order, each when the proxy lets it through. */
function createForwarder(state: () => { readonly thaw: Promise<void>; readonly delayMs: number }) {
  let last = Promise.resolve();
  return (to: Socket, bytes: Buffer): void => {
    last = last
      .then(() => state().thaw)
      .then(() => (state().delayMs > 0 ? sleep(state().delayMs) : undefined))
      .then(() => {
        if (!to.destroyed) to.write(bytes);
      });
  };
}
