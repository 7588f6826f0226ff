import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGateway, createWebChannel, hashOf, newSecret, openHttp, readConfig } from '@plugboard/gateway';
import { createSpawner } from '@plugboard/process';
import { openSqlite } from '@plugboard/store/sqlite';
import { acpProfile, nuumProfile, terminalProfile } from '../agents/agents.ts';

/*
 * A gateway to be measured, in a process of its own: every commit is synced, agents are started by the helper. Arguments:
 * the command of the agent as JSON, how many MiB of ballast to carry, the dialect, and after how many milliseconds an agent
 * with nothing to do is parked.
 */
const [command = '[]', ballastMiB = '0', dialect = 'terminal', parkAfterMs = '100'] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), 'plugboard-bench-gateway-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));

const spawner = await createSpawner({
  kind: 'auto',
  cacheDirectory: join(tmpdir(), 'plugboard-bench-cache'),
});
const argv = JSON.parse(command) as string[];
const PROFILES = { acp: acpProfile, nuum: nuumProfile, terminal: terminalProfile };
const profile = PROFILES[dialect as keyof typeof PROFILES](argv, { workspace: directory });
const config = await readConfig(undefined, {
  environment: {},
  dataDirectory: directory,
  demos: new Map([['demo', { profile }]]),
});
const store = openSqlite(join(directory, 'bench.db'), { clock: Date.now, synchronous: 'full' });
const log = { debug() {}, info() {}, warn: report, error: report };
const agents = [...config.agents].map(
  ([name, agent]) => [name, { ...agent, parkAfterMs: Number(parkAfterMs) }] as const,
);
const gateway = createGateway(
  { ...config, agents: new Map(agents), server: { ...config.server, port: 0, requestsPerMinute: 1e9 } },
  { store, directory, environment: process.env, log, spawner, channels: [createWebChannel()] },
);
const ballast = Array.from({ length: Number(ballastMiB) }, () => Buffer.alloc(1 << 20, 1));
// What nothing refers to any more would be collected.
process.on('exit', () => void ballast.at(0));
await gateway.start();
const door = await openHttp(gateway, { now: Date.now, version: 'bench' });
const secret = newSecret();
await store.tokens.add({ id: 'bench', name: 'bench', hash: hashOf(secret), scopes: ['admin'] });
process.stdout.write(
  `${JSON.stringify({ port: door.port, secret, kind: spawner.kind, ballast: ballast.length })}\n`,
);
process.on('SIGTERM', async () => {
  await door.close(0);
  await gateway.stop();
  await spawner.close();
  await store.close();
  process.exit(0);
});

function report(message: string): void {
  process.stderr.write(`gateway: ${message}\n`);
}
