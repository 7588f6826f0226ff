import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';

/** Forwards connections to a port on loopback, and cuts them where a test says. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /**
   * Cuts the next connection whose client sends bytes that match: `before` they are forwarded, or `after` the server has
   * answered them. The client sees no byte of the answer.
   */
  cutNext(pattern: RegExp, when: 'before' | 'after'): void;
  /** Number of connections cut so far. */
  readonly cuts: number;
}

export async function startTcpProxy(target: number): Promise<TcpProxy> {
  let rule: { readonly pattern: RegExp; readonly when: 'before' | 'after' } | undefined;
  let cuts = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = createConnection(target, '127.0.0.1');
    let isCut = false;
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    client.on('data', (bytes) => {
      const found = rule?.pattern.test(bytes.toString('latin1')) === true ? rule : undefined;
      if (found !== undefined) {
        rule = undefined;
        cuts += 1;
        isCut = true;
      }
      if (found?.when === 'before') end();
      else upstream.write(bytes);
    });
    upstream.on('data', (bytes) => (isCut ? end() : client.write(bytes)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cutNext(pattern, when) {
      rule = { pattern, when };
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
