import { connect, type Socket } from 'node:net';
import { encodeHello } from './wire.ts';

/** The two connections of one start, with the number under which the helper knows it. */
export interface Pair {
  readonly id: number;
  readonly stdin: Socket;
  readonly stdout: Socket;
  /** Why it is of no use, if it is not. */
  problem: NodeJS.ErrnoException | undefined;
  onProblem: (error: NodeJS.ErrnoException) => void;
}

export function connectPair(path: string, secret: Buffer, id: number): Pair {
  const stdout = connect(path);
  const stdin = connect(path);
  const pair: Pair = { id, stdin, stdout, problem: undefined, onProblem: () => {} };
  const fail = (error: NodeJS.ErrnoException): void => {
    pair.problem = error;
    pair.onProblem(error);
  };
  stdout.on('error', fail);
  stdin.on('error', fail);
  // Reading begins at once, as with every other process, also when the reader has asked for a pause meanwhile.
  stdout.once('connect', () => stdout.read(0));
  stdin.pause();
  stdin.write(encodeHello(secret, id));
  return pair;
}

export interface Stock {
  take(): Pair;
  clear(): void;
}

/**
 * Keeps one pair connected ahead, so that a start need not wait for the event loop to tell of a connection. It does
 * not keep the host from ending.
 */
export function createStock(make: () => Pair, abandon: (id: number) => void): Stock {
  let ready: Pair | undefined;
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
