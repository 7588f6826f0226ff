import { join } from 'node:path';
import {
  type Config,
  createChannels,
  createGateway,
  type Gateway,
  type HttpDoor,
  hashOf,
  type Logger,
  newSecret,
  openHttp,
} from '@plugboard/gateway';
import { createSpawner, type Spawner } from '@plugboard/process';
import { reasonOf } from '@plugboard/protocol';
import { type Store, StoreError } from '@plugboard/store';
import { lockPlace, openSqlite } from '@plugboard/store/sqlite';
import { CommandFailure } from '../failure.ts';
import { quoteWord } from '../shell-word.ts';
import { VERSION } from '../version.ts';
import { readInstance, writeInstance } from './instance.ts';
import { type Interfaces, type LoginLinks, listensEverywhere, loginLink, networkUrls } from './links.ts';
import { defaultNodeName } from './node-name.ts';
import { endOrphans } from './orphans.ts';
import { type Parts, takeDown } from './parts.ts';
import { makePlace, type Place, pageDirectory } from './place.ts';
import { portProblem } from './port.ts';

/** A running gateway and the parts that it has opened. */
export interface Up {
  readonly gateway: Gateway;
  readonly door: HttpDoor;
  readonly spawner: Spawner;
  /** Whether `pageDirectory` found a built page. */
  readonly hasPage: boolean;
  /** One-time login links for browsers. All network links share one code, so they admit one browser. */
  loginLinks(interfaces: Interfaces): LoginLinks;
  /** Stops the gateway; the store is closed last. */
  stop(): Promise<void>;
}

/** Starts a gateway. If a step fails, the parts that are open by then are closed. */
export async function startGateway(
  config: Config,
  place: Place,
  log: Logger,
  node: string = defaultNodeName(place),
): Promise<Up> {
  const parts: Parts = {};
  try {
    return await bringUp(config, place, log, node, parts);
  } catch (error) {
    // Errors of `takeDown` are ignored: the error that prevented the start is reported.
    await takeDown(parts, place, 0).catch(() => {});
    if (error instanceof CommandFailure || !(error instanceof Error)) throw error;
    throw new CommandFailure(error.message, 1);
  }
}

async function bringUp(config: Config, place: Place, log: Logger, node: string, parts: Parts): Promise<Up> {
  makePlace(place);
  // First, because the memory of this process is small yet: `fork` of the helper takes longer with a larger RSS.
  const { spawn: kind } = config;
  const onTrouble = (sentence: string): void => log.warn(sentence);
  const spawner = await createSpawner({ kind, cacheDirectory: place.cache, onTrouble });
  parts.spawner = spawner;
  // Two gateways with one data directory would share media, agents and `instanceFile`. Before the store, where the name of a
  // gateway that has just died is free only after some seconds.
  if (config.store.url !== undefined)
    parts.lock = await refuseInUse(place, () => lockDirectory(config, place));
  const store = await openStore(config, place, node);
  parts.store = store;
  if (config.store.url === undefined)
    parts.lock = await refuseInUse(place, () => lockDirectory(config, place));
  await refuseDamage(store, log);
  // Before `gateway.start`: with an occupied port its turns would have to be cancelled again.
  await provePort(config);
  // After `openStore`: without the lock of the store these agents could belong to a gateway that still runs.
  await endOrphans(place.markFile);
  parts.marked = true;
  const gateway = createGateway(config, {
    store,
    directory: place.directory,
    environment: withoutSecrets(config),
    log,
    spawner,
    channels: await createChannels(config, log, place.directory),
  });
  parts.gateway = gateway;
  await gateway.start();
  const token = await operatorToken(store);
  const page = pageDirectory();
  const door = await openHttp(gateway, {
    now: () => performance.now(),
    version: VERSION,
    ...(page === undefined ? {} : { page }),
  });
  parts.door = door;
  if (gateway.membership !== undefined) gateway.membership.url = config.server.publicUrl ?? door.url;
  // Without an `await` after listening: a command that can connect must find the new token in `instanceFile`.
  const everywhere = listensEverywhere(config.server);
  writeInstance(place.instanceFile, { pid: process.pid, url: door.url, token, everywhere });
  parts.announced = true;
  return {
    gateway,
    door,
    spawner,
    hasPage: page !== undefined,
    loginLinks(interfaces) {
      const urls = everywhere ? networkUrls(door.url, interfaces) : [];
      // Whoever starts the gateway operates it; links for other machines may be passed on.
      const here = loginLink(door.url, door.codes.create({ operates: true }));
      const code = door.codes.create();
      return { here, network: urls.map((url) => loginLink(url, code)), everywhere };
    },
    stop: () => takeDown(parts, place, 1_000),
  };
}

/** A start waits at most 2 s for `store.verify`; the check of a larger store continues while the gateway runs. */
const VERIFY_MS = 2_000;

/** Throws for a damaged store; damage that is found after `VERIFY_MS` is logged as `store-damaged`. */
async function refuseDamage(store: Store, log: Logger): Promise<void> {
  const verified = store.verify();
  const later = new Promise<'later'>((resolve) => setTimeout(resolve, VERIFY_MS, 'later').unref());
  if ((await Promise.race([verified, later])) !== 'later') return;
  verified.catch((error) => log.error(reasonOf(error), { code: 'store-damaged' }));
}

function openStore({ store }: Config, place: Place, node: string): Promise<Store> {
  const options = { clock: steadyClock(), synchronous: store.synchronous };
  return refuseInUse(place, async () => {
    if (store.url === undefined) return openSqlite(store.file, options);
    const { openPostgres } = await import('@plugboard/store/postgres');
    return openPostgres(store.url.reveal(), { node: { name: node, version: VERSION } });
  });
}

function lockDirectory({ store }: Config, { directory }: Place): { release(): void } {
  const file = join(directory, 'plugboard.db');
  return store.url === undefined ? lockPlace(file, store.file) : lockPlace(file);
}

/** Adds the remedy to the error about a lock that another process has. */
async function refuseInUse<T>(place: Place, open: () => T | Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'in-use') throw error;
    throw new Error(`${error.message} ${inUseAdvice(place)}`, { cause: error });
  }
}

/** Remedy for a locked store: it nearly always belongs to a gateway that still runs, so its URL and pid are named. */
function inUseAdvice({ instanceFile, directory }: Place): string {
  const instance = readInstance(instanceFile);
  if (instance === undefined)
    return 'A gateway seems to be running on it already: stop that process, or give this one another store.';
  const { url, pid } = instance;
  return `A gateway seems to be running on it already, at ${url}: plugboard doctor --data ${quoteWord(directory)} looks at it, kill ${pid} stops it, and another --data with another --port starts one beside it.`;
}

async function provePort({ server }: Config): Promise<void> {
  const problem = await portProblem(server);
  if (problem !== undefined)
    throw new Error(
      `${problem} Is a gateway running already? Choose another port with --port or server.port.`,
    );
}

/** The environment of agents, without the gateway's own secrets, `PLUGBOARD_TOKEN` and `PLUGBOARD_STORE`. */
function withoutSecrets({ env = [] }: Config): NodeJS.ProcessEnv {
  const hidden = new Set([...env, 'PLUGBOARD_TOKEN', 'PLUGBOARD_STORE']);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !hidden.has(name)));
}

/** Creates the token `operator` for other commands of the same user, and revokes that of the previous gateway. */
async function operatorToken(store: Store): Promise<string> {
  const secret = newSecret();
  const id = store.nodes === undefined ? 'operator' : `operator-${store.nodes.name}`;
  await store.tokens.revoke(id);
  await store.tokens.add({
    id,
    name: 'operator',
    hash: hashOf(secret),
    // `local`: the token stands in a file, and a copy of that file must be worthless on other machines.
    scopes: ['admin', 'chat', 'inspect', 'metrics', 'local'],
  });
  return secret;
}

/** Milliseconds since 1970 from a monotonic clock: setting the wall clock does not end or extend a lease. */
function steadyClock(): () => number {
  const began = Date.now() - performance.now();
  return () => began + performance.now();
}
