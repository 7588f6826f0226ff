import { connect, type Socket } from 'node:net';
import { encodeHello } from './wire.ts';

/** The two connections of one start, with their `id` in the helper's protocol. */
export interface SocketPair {
  readonly id: number;
  readonly stdin: Socket;
  readonly stdout: Socket;
  /** The first error of either connection. */
  problem: NodeJS.ErrnoException | undefined;
  onProblem: (error: NodeJS.ErrnoException) => void;
}

export function connectSocketPair(path: string, secret: Buffer, id: number): SocketPair {
  const stdout = connect(path);
  const stdin = connect(path);
  const pair: SocketPair = { id, stdin, stdout, problem: undefined, onProblem: () => {} };
  const fail = (error: NodeJS.ErrnoException): void => {
    pair.problem = error;
    pair.onProblem(error);
  };
  stdout.on('error', fail);
  stdin.on('error', fail);
  // Starts reading at once, as Node does for other children, even if the reader has called `pause` before the connect.
  stdout.once('connect', () => stdout.read(0));
  stdin.pause();
  stdin.write(encodeHello(secret, id));
  return pair;
}

export interface SocketPairSupply {
  take(): SocketPair;
  clear(): void;
}

/**
 * Keeps one pair connected ahead, so that a start does not wait for the 'connect' event. `unref` lets the host exit
 * meanwhile.
 */
export function createSocketPairSupply(
  make: () => SocketPair,
  abandon: (id: number) => void,
): SocketPairSupply {
  let ready: SocketPair | undefined;
  let refill: NodeJS.Immediate | undefined;

  function fill(): void {
    refill = undefined;
    ready = make();
    ready.stdin.unref();
    ready.stdout.unref();
  }
  function clear(): void {
    clearImmediate(refill);
    ready?.stdin.destroy();
    ready?.stdout.destroy();
    ready = undefined;
  }
  fill();
  return {
    take() {
      const pair = ready;
      ready = undefined;
      refill ??= setImmediate(fill);
      if (pair === undefined) return make();
      if (pair.problem || pair.stdout.destroyed) {
        abandon(pair.id);
        return make();
      }
      pair.stdin.ref();
      pair.stdout.ref();
      return pair;
    },
    clear,
  };
}
