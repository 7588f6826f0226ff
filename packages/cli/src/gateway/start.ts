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
import { type Store, StoreError } from '@plugboard/store';
import { openSqlite } from '@plugboard/store/sqlite';
import { CommandFailure } from '../failure.ts';
import { quoted } from '../shell-word.ts';
import { VERSION } from '../version.ts';
import { steadyClock } from './clock.ts';
import { readInstance, removeInstance, writeInstance } from './instance.ts';
import { type Interfaces, type LoginLinks, listensEverywhere, loginLink, networkUrls } from './links.ts';
import { endOrphans, forgetMark } from './orphans.ts';
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
  const undo: (() => unknown)[] = [];
  try {
    makePlace(place);
    // First of all: a helper is begun quickest while this process is small.
    const { spawn: kind } = config;
    const onTrouble = (sentence: string): void => log.warn(sentence);
    const spawner = await createSpawner({ kind, cacheDirectory: place.cache, onTrouble });
    undo.unshift(() => spawner.close());
    const store = openStore(config, place);
    undo.unshift(() => store.close());
    // Before the first turn is begun: it would have to be stopped again.
    await provePort(config);
    // Only now: as long as another gateway had the store, its agents were none of our business.
    await endOrphans(place.markFile);
    undo.unshift(() => forgetMark(place.markFile));
    const gateway = createGateway(config, {
      store,
      directory: place.directory,
      environment: withoutSecrets(config),
      log,
      spawner,
      channels: channelsOf(config),
    });
    undo.unshift(() => gateway.stop());
    await gateway.start();
    const token = await operatorToken(store);
    const page = pageDirectory();
    const door = await openHttp(gateway, {
      now: Date.now,
      version: VERSION,
      ...(page === undefined ? {} : { page }),
    });
    undo.unshift(() => door.close(0));
    // In the same instant: whoever is let in finds the token that is good from now on.
    const everywhere = listensEverywhere(config.server);
    writeInstance(place.instanceFile, { pid: process.pid, url: door.url, token, everywhere });
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
      async stop() {
        const closed = door.close(1_000);
        await gateway.stop();
        await closed;
        await spawner.close();
        // Before the store is given back: what is in these files then may be another gateway's.
        removeInstance(place.instanceFile);
        forgetMark(place.markFile);
        await store.close();
      },
    };
  } catch (error) {
    for (const step of undo) await step();
    throw error instanceof Error ? new CommandFailure(error.message, 1) : error;
  }
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
    scopes: ['admin', 'chat', 'inspect', 'metrics'],
  });
  return secret;
}
