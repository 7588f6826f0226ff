import { statfsSync, statSync } from 'node:fs';
import type { Config } from '@plugboard/gateway';
import { createSpawner } from '@plugboard/process';
import { reach } from '../gateway/client.ts';
import { readInstance } from '../gateway/instance.ts';
import { makePlace, NO_PAGE, type Place, pageDirectory } from '../gateway/place.ts';
import { portProblem } from '../gateway/port.ts';
import { type Check, fail, ok, warn } from './check.ts';

const LEAST_FREE = 200 * 1024 * 1024;

/** What the gateway needs of this machine. */
export function machineChecks(config: Config, place: Place): readonly Check[] {
  return [
    { id: 'node', run: async () => ok(`Node ${process.versions.node}.`) },
    { id: 'data', run: async () => dataDirectory(place) },
    { id: 'disk', run: async () => diskSpace(place) },
    { id: 'store', run: () => storeCheck(config, place) },
    { id: 'port', run: () => portCheck(config, place) },
    { id: 'spawn', run: () => spawnCheck(config, place) },
    { id: 'page', run: async () => pageCheck() },
  ];
}

function dataDirectory(place: Place) {
  const { directory } = place;
  makePlace(place);
  const open = (statSync(directory).mode & 0o077) !== 0;
  if (open) return warn(`Others can look into ${directory}.`, `chmod 700 ${directory}`);
  return ok(`${directory} is there, and only yours.`);
}

function diskSpace({ directory }: Place) {
  const { bavail, bsize } = statfsSync(directory);
  const free = bavail * bsize;
  const shown = `${Math.round(free / 1024 / 1024)} MiB are free in ${directory}.`;
  return free < LEAST_FREE ? warn(shown, 'Make room: a full disk refuses messages.') : ok(shown);
}

/** A gateway that runs has the store; it is asked whether it can write. */
async function storeCheck({ store: { file, synchronous } }: Config, place: Place) {
  const running = await runningGateway(place);
  if (running !== undefined) {
    const { status } = await reach(running.url, '/readyz', {});
    return status === 200
      ? ok(`The gateway that runs (${running.url}) has the store and can write to it.`)
      : fail(`The gateway at ${running.url} cannot write to its store.`, 'Look at its log.');
  }
  const { openSqlite } = await import('@plugboard/store/sqlite');
  const store = openSqlite(file, { clock: Date.now, synchronous });
  try {
    await store.check();
    return ok(`${file} can be written to.`);
  } finally {
    await store.close();
  }
}

async function portCheck({ server: { host, port } }: Config, place: Place) {
  const running = await runningGateway(place);
  if (running !== undefined) return ok(`A gateway of yours answers at ${running.url}.`);
  const problem = await portProblem({ host, port });
  if (problem === undefined) return ok(`${host}:${port} is free.`);
  return fail(problem, 'Choose another: server.port, or plugboard up --port.');
}

async function spawnCheck({ spawn: kind }: Config, place: Place) {
  const troubles: string[] = [];
  const spawner = await createSpawner({
    kind,
    cacheDirectory: place.cache,
    onTrouble: (sentence) => troubles.push(sentence),
  });
  try {
    const child = spawner.spawn({ file: '/bin/sh', args: ['-c', 'exit 7'], cwd: '/', env: {} });
    child.stdout?.resume();
    const { exitCode } = await child.ended;
    if (exitCode !== 7)
      return fail(
        `A process started by the ${spawner.kind} helper ended with ${exitCode}, not 7.`,
        'Set spawn: direct.',
      );
    const how = { native: 'a helper in C', node: 'a helper in Node', direct: 'this process itself' }[
      spawner.kind
    ];
    if (kind === 'auto' && spawner.kind !== 'native') {
      return warn(
        `Agents are started by ${how}. ${troubles.join(' ')}`,
        'Install a C compiler (cc): starts take half as long.',
      );
    }
    return ok(`Agents are started by ${how}.`);
  } finally {
    await spawner.close();
  }
}

function pageCheck() {
  return pageDirectory() === undefined ? warn(NO_PAGE.message, NO_PAGE.fix) : ok('The web page is there.');
}

/** The gateway that uses this place, if it answers. */
async function runningGateway(place: Place): Promise<{ url: string } | undefined> {
  const instance = readInstance(place.instanceFile);
  if (instance === undefined) return undefined;
  const alive = await reach(instance.url, '/healthz', {}).then(
    ({ ok: good }) => good,
    () => false,
  );
  return alive ? instance : undefined;
}
