import {
  type Config,
  createCliChannel,
  createGateway,
  createWebChannel,
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
import { openSqlite } from '@plugboard/store/sqlite';
import { CommandFailure } from '../failure.ts';
import { quoted } from '../shell-word.ts';
import { VERSION } from '../version.ts';
import { steadyClock } from './clock.ts';
import { readInstance, writeInstance } from './instance.ts';
import { type Interfaces, type LoginLinks, listensEverywhere, loginLink, networkUrls } from './links.ts';
import { endOrphans } from './orphans.ts';
import { type Parts, takeDown } from './parts.ts';
import { makePlace, type Place, pageDirectory } from './place.ts';
import { portProblem } from './port.ts';

/** A gateway that is up, with everything it has opened. */
export interface Up {
  readonly gateway: Gateway;
  readonly door: HttpDoor;
  readonly spawner: Spawner;
  /** Whether there is a page to log in to. */
  readonly hasPage: boolean;
  /** Links that log a browser in, each once; those for the network are for one more browser. */
  loginLinks(interfaces: Interfaces): LoginLinks;
  /** Ends everything in the order in which nothing is lost. */
  stop(): Promise<void>;
}

/** Brings a gateway up. What was opened before something failed is closed again. */
export async function startGateway(config: Config, place: Place, log: Logger): Promise<Up> {
  const parts: Parts = {};
  try {
    return await bringUp(config, place, log, parts);
  } catch (error) {
    // Why it did not come up says more than what then could not be closed.
    await takeDown(parts, place, 0).catch(() => {});
    if (error instanceof CommandFailure || !(error instanceof Error)) throw error;
    throw new CommandFailure(error.message, 1);
  }
}

async function bringUp(config: Config, place: Place, log: Logger, parts: Parts): Promise<Up> {
  makePlace(place);
  // First of all: a helper is begun quickest while this process is small.
  const { spawn: kind } = config;
  const onTrouble = (sentence: string): void => log.warn(sentence);
  const spawner = await createSpawner({ kind, cacheDirectory: place.cache, onTrouble });
  parts.spawner = spawner;
  const store = openStore(config, place);
  parts.store = store;
  await refuseDamage(store, log);
  // Before the first turn is begun: it would have to be stopped again.
  await provePort(config);
  // Only now: as long as another gateway had the store, its agents were none of our business.
  await endOrphans(place.markFile);
  parts.marked = true;
  const gateway = createGateway(config, {
    store,
    directory: place.directory,
    environment: withoutSecrets(config),
    log,
    spawner,
    channels: channelsOf(config),
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
  // In the same instant: whoever is let in finds the token that is good from now on.
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
      const here = loginLink(door.url, door.codes.create());
      const code = door.codes.create();
      return { here, network: urls.map((url) => loginLink(url, code)), everywhere };
    },
    stop: () => takeDown(parts, place, 1_000),
  };
}

/** Longest that a start waits for the store to be read to its end; a larger one is read while the gateway runs. */
const VERIFY_MS = 2_000;

/** Refuses a damaged store, or tells of the damage when it is found later. */
async function refuseDamage(store: Store, log: Logger): Promise<void> {
  const verified = store.verify();
  const later = new Promise<'later'>((resolve) => setTimeout(resolve, VERIFY_MS, 'later').unref());
  if ((await Promise.race([verified, later])) !== 'later') return;
  verified.catch((error) => log.error(reasonOf(error), { code: 'store-damaged' }));
}

function openStore({ store }: Config, place: Place): Store {
  try {
    return openSqlite(store.file, { clock: steadyClock(), synchronous: store.synchronous });
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'in-use') throw error;
    throw new Error(`${error.message} ${inUseAdvice(place)}`, { cause: error });
  }
}

/** What to do about a store that somebody else has: nearly always a gateway that was forgotten. */
function inUseAdvice({ instanceFile, directory }: Place): string {
  const instance = readInstance(instanceFile);
  if (instance === undefined)
    return 'A gateway seems to be running on it already: stop that process, or give this one another store.';
  const { url, pid } = instance;
  return `A gateway seems to be running on it already, at ${url}: plugboard doctor --data ${quoted(directory)} looks at it, kill ${pid} stops it, and another --data with another --port starts one beside it.`;
}

async function provePort({ server }: Config): Promise<void> {
  const problem = await portProblem(server);
  if (problem !== undefined)
    throw new Error(
      `${problem} Is a gateway running already? Choose another port with --port or server.port.`,
    );
}

function channelsOf({ channels }: Config) {
  return [
    ...(channels.web.enabled ? [createWebChannel()] : []),
    ...(channels.cli.enabled ? [createCliChannel()] : []),
  ];
}

/** Agents get the environment, but not the keys that the gateway itself was given. */
function withoutSecrets({ env = [] }: Config): NodeJS.ProcessEnv {
  const hidden = new Set([...env, 'PLUGBOARD_TOKEN']);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !hidden.has(name)));
}

/** The token by which other commands of the same owner reach this gateway; the one before it is worth nothing from now on. */
async function operatorToken(store: Store): Promise<string> {
  const secret = newSecret();
  await store.tokens.revoke('operator');
  await store.tokens.add({
    id: 'operator',
    name: 'operator',
    hash: hashOf(secret),
    // `local`: the token stands in a file, and a copy of that file must be worthless on other machines.
    scopes: ['admin', 'chat', 'inspect', 'metrics', 'local'],
  });
  return secret;
}
