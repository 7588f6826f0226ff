import { statfsSync, statSync } from 'node:fs';
import type { Config } from '@plugboard/gateway';
import { createSpawner } from '@plugboard/process';
import type { Store } from '@plugboard/store';
import { readInstance } from '../gateway/instance.ts';
import { makePlace, NO_PAGE, type Place, pageDirectory } from '../gateway/place.ts';
import { portProblem } from '../gateway/port.ts';
import { type Check, createFailure, createOk, createWarning } from './check.ts';
import { mediaCheck } from './media.ts';

const LEAST_FREE = 200 * 1024 * 1024;

/** Checks of this machine: Node, data directory, disk, store, port, spawning, web page. */
export function machineChecks(config: Config, place: Place): readonly Check[] {
  return [
    { id: 'node', run: async () => createOk(`Node ${process.versions.node}.`) },
    { id: 'data', run: async () => dataDirectory(place) },
    { id: 'disk', run: async () => diskSpace(place) },
    { id: 'store', run: () => storeCheck(config, place) },
    { id: 'media', run: () => mediaCheck(config, place) },
    { id: 'port', run: () => portCheck(config, place) },
    { id: 'spawn', run: () => spawnCheck(config, place) },
    { id: 'page', run: async () => pageCheck() },
  ];
}

function dataDirectory(place: Place) {
  const { directory } = place;
  makePlace(place);
  const open = (statSync(directory).mode & 0o077) !== 0;
  if (open) return createWarning(`Others can look into ${directory}.`, `chmod 700 ${directory}`);
  return createOk(`${directory} is there, and only yours.`);
}

function diskSpace({ directory }: Place) {
  const { bavail, bsize } = statfsSync(directory);
  const free = bavail * bsize;
  const shown = `${Math.round(free / 1024 / 1024)} MiB are free in ${directory}.`;
  return free < LEAST_FREE
    ? createWarning(shown, 'Make room: a full disk refuses messages.')
    : createOk(shown);
}

/** A gateway that runs has the store; it is asked whether it can write. */
async function storeCheck({ store: { file, synchronous, url } }: Config, place: Place) {
  const running = await runningGateway(place);
  if (running !== undefined) {
    return (await isGood(`${running.url}/readyz`))
      ? createOk(`The gateway that runs (${running.url}) has the store and can write to it.`)
      : createFailure(`The gateway at ${running.url} cannot write to its store.`, 'Look at its log.');
  }
  const store = await openStore();
  try {
    await store.check();
    return createOk(
      url === undefined ? `${file} can be written to.` : 'The Postgres database can be written to.',
    );
  } finally {
    await store.close();
  }

  async function openStore(): Promise<Store> {
    if (url === undefined) {
      const { openSqlite } = await import('@plugboard/store/sqlite');
      return openSqlite(file, { clock: Date.now, synchronous });
    }
    const { openPostgres } = await import('@plugboard/store/postgres');
    return openPostgres(url.reveal(), { patienceMs: 2_000, connections: 1 });
  }
}

async function portCheck({ server: { host, port } }: Config, place: Place) {
  const running = await runningGateway(place);
  if (running !== undefined) return createOk(`A gateway of yours answers at ${running.url}.`);
  const problem = await portProblem({ host, port });
  if (problem === undefined) return createOk(`${host}:${port} is free.`);
  return createFailure(problem, 'Choose another: server.port, or plugboard up --port.');
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
      return createFailure(
        `A process started by the ${spawner.kind} helper ended with ${exitCode}, not 7.`,
        'Set spawn: direct.',
      );
    const how = { native: 'a helper in C', node: 'a helper in Node', direct: 'this process itself' }[
      spawner.kind
    ];
    if (kind === 'auto' && spawner.kind !== 'native') {
      return createWarning(
        `Agents are started by ${how}. ${troubles.join(' ')}`,
        'Install a C compiler (cc): starts take half as long.',
      );
    }
    return createOk(`Agents are started by ${how}.`);
  } finally {
    await spawner.close();
  }
}

function pageCheck() {
  return pageDirectory() === undefined
    ? createWarning(NO_PAGE.message, NO_PAGE.fix)
    : createOk('The web page is there.');
}

/** The gateway that uses this place, if it answers. */
async function runningGateway(place: Place): Promise<{ url: string } | undefined> {
  const instance = readInstance(place.instanceFile);
  if (instance === undefined) return undefined;
  return (await isGood(`${instance.url}/healthz`)) ? instance : undefined;
}

/** Whether an address answers, and with a success. */
function isGood(url: string): Promise<boolean> {
  return fetch(url).then(
    (response) => response.ok,
    () => false,
  );
}
