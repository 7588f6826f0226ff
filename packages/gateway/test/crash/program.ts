import { writeSync } from 'node:fs';
import type { Store } from '@plugboard/store';
import { openSqlite } from '@plugboard/store/sqlite';
import { createGateway } from '../../src/gateway.ts';
import { silentLogger } from '../../src/log.ts';
import { configOf, shell } from '../config-of.ts';
import { createPlatformChannel } from './platform-channel.ts';

/*
 * A gateway that kills itself at the n-th fault point: before and after every write to the store, and around everything
 * that crosses a boundary. Without a number it counts them.
 */
const [directory = '', platform = '', killAt = '0', manner = ''] = process.argv.slice(2);
let hits = 0;

function fault(point: string): void {
  hits += 1;
  if (hits === Number(killAt) || point === killAt) {
    writeSync(1, `killed at ${hits}: ${point}\n`);
    process.kill(process.pid, 'SIGKILL');
    // The signal comes between two instructions; nothing may happen until then.
    for (;;);
  }
}

/** Every call of the store with a point before it and one after it has settled. */
function withFaults(store: Store): Store {
  const wrapped = Object.entries(store).map(([part, value]: [string, unknown]) => [
    part,
    typeof value === 'object' && value !== null ? wrapCalls(part, value) : value,
  ]);
  return Object.fromEntries(wrapped) as unknown as Store;
}

function wrapCalls(part: string, calls: object): object {
  return Object.fromEntries(
    Object.entries(calls).map(([name, call]: [string, (...args: unknown[]) => Promise<unknown>]) => [
      name,
      async (...args: unknown[]) => {
        // Leases and expiries come by the clock; what is counted must be the same each time.
        const counted = !['renew', 'expire', 'take', 'claim', 'backlog'].includes(name);
        if (counted) fault(`before ${part}.${name}`);
        const result = await call(...args);
        if (counted || (Array.isArray(result) && result.length > 0)) fault(`after ${part}.${name}`);
        return result;
      },
    ]),
  );
}

const agent = shell('echo', 'read -r line; echo "first"; echo "and second"', directory);
const other = shell('other', 'read -r line; echo "other"', directory);
const config = configOf(directory, { agents: () => [agent, other] });
const store = openSqlite(config.store.file, {
  clock: Date.now,
  synchronous: 'full',
  together: manner !== 'alone',
});
const gateway = createGateway(config, {
  store: withFaults(store),
  directory,
  environment: process.env,
  log: silentLogger,
  channels: [createPlatformChannel(platform, fault, manner)],
});
await gateway.start();
process.on('SIGTERM', async () => {
  const counted = hits;
  await gateway.stop();
  await store.close();
  writeSync(1, `hits ${counted}\n`);
  process.exit(0);
});
