import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A host that starts agents by hand; see `bare-host.ts`. */
export interface BareHost {
  /** Milliseconds of one turn. */
  turn(): Promise<number>;
  /** Turns a second, so many at a time. */
  rate(clients: number, ms: number): Promise<number>;
  stop(): void;
}

export async function startBareHost(argv: readonly string[], ballastMiB: number): Promise<BareHost> {
  const child = fork(join(import.meta.dirname, 'bare-host.ts'), [String(ballastMiB)]);
  await once(child, 'message');
  const ask = async (order: object): Promise<number> => {
    child.send({ argv, ...order });
    const [measured] = (await once(child, 'message')) as [number];
    return measured;
  };
  return {
    turn: () => ask({}),
    rate: (clients, ms) => ask({ clients, ms }),
    stop: () => void child.kill(),
  };
}
