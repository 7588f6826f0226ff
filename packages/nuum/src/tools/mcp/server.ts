import type { CallToolResult, Tool as ServerTool } from '@modelcontextprotocol/client';
import type { JsonObject } from '@plugboard/protocol';
import { orAbort } from '../abort.ts';
import { firstLineOf } from '../outcome.ts';
import type { ServerConfig } from './config.ts';
import type { Connection, ConnectionOptions } from './connection.ts';

const SHORTEST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

/** A configured server, across reconnections. */
export interface Server {
  readonly name: string;
  readonly effect: 'run' | 'network';
  /** Resolves when the first attempt to connect has succeeded or failed. */
  readonly ready: Promise<void>;
  tools(): readonly ServerTool[];
  /** Why there is no connection; undefined while connected or connecting. */
  problem(): string | undefined;
  isConnected(): boolean;
  /** Connects first if the connection was lost. */
  call(tool: string, input: JsonObject, signal: AbortSignal): Promise<CallToolResult>;
  close(): Promise<void>;
}

interface State {
  connection: Connection | undefined;
  attempt: Promise<Connection> | undefined;
  tools: readonly ServerTool[];
  problem: string | undefined;
  failures: number;
  /** The earliest time of the next attempt, by `performance.now`. */
  notBefore: number;
  /** Aborted when the server is removed. */
  readonly lifetime: AbortController;
}

/** Connects at once. The MCP library is loaded by the first server. */
export function createServer(name: string, config: ServerConfig, options: ConnectionOptions): Server {
  const state: State = {
    connection: undefined,
    attempt: undefined,
    tools: [],
    problem: undefined,
    failures: 0,
    notBefore: 0,
    lifetime: new AbortController(),
  };
  const log = (text: string): void => options.log(`The server ${name}: ${text}`);
  const reach = (): Promise<Connection> => openConnection(state, config, { ...options, log });
  const ready = reach().then(
    () => {},
    () => {},
  );
  return {
    name,
    effect: 'command' in config ? 'run' : 'network',
    ready,
    tools: () => state.connection?.tools() ?? state.tools,
    problem: () => state.connection?.lost() ?? state.problem,
    isConnected: () => state.connection !== undefined && state.connection.lost() === undefined,
    async call(tool, input, signal) {
      const connection = await orAbort(reach(), signal);
      try {
        return await connection.call(tool, input, signal);
      } catch (error) {
        throw signal.aborted ? error : new Error(connection.lost() ?? firstLineOf(error));
      }
    },
    async close() {
      state.lifetime.abort();
      await state.attempt?.catch(() => {});
      await state.connection?.close();
    },
  };
}

/** The open connection, or a new one. After failures, throws until a growing pause is over. */
async function openConnection(
  state: State,
  config: ServerConfig,
  options: ConnectionOptions,
): Promise<Connection> {
  if (state.lifetime.signal.aborted) throw new Error('it is no longer configured');
  const { connection } = state;
  if (connection !== undefined && connection.lost() === undefined) return connection;
  if (connection !== undefined) dropConnection(state, connection);
  if (performance.now() < state.notBefore) throw new Error(`${state.problem}; it is tried again in a while`);
  state.attempt ??= tryToConnect(state, config, options).finally(() => {
    state.attempt = undefined;
  });
  return state.attempt;
}

/** Keeps the tools of a lost connection: the next call reconnects. */
function dropConnection(state: State, connection: Connection): void {
  state.tools = connection.tools();
  state.problem = connection.lost();
  state.connection = undefined;
  void connection.close();
}

async function tryToConnect(
  state: State,
  config: ServerConfig,
  options: ConnectionOptions,
): Promise<Connection> {
  try {
    const { connectServer: connect } = await import('./connection.ts');
    state.lifetime.signal.throwIfAborted();
    const connection = await connect(config, options, state.lifetime.signal);
    state.connection = connection;
    state.problem = undefined;
    state.failures = 0;
    return connection;
  } catch (error) {
    state.problem = firstLineOf(error);
    state.failures += 1;
    const pause = Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** (state.failures - 1));
    state.notBefore = performance.now() + pause;
    if (!state.lifetime.signal.aborted) options.log(`no connection: ${state.problem}`);
    throw error;
  }
}
