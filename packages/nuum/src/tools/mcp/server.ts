import type { CallToolResult, Tool as ServerTool } from '@modelcontextprotocol/client';
import type { JsonObject } from '@plugboard/protocol';
import { orAbort } from '../abort.ts';
import { firstLineOf } from '../outcome.ts';
import type { ServerConfig } from './config.ts';
import type { Connection, ConnectionOptions } from './connection.ts';

const SHORTEST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

/** One configured server through all of its connections. */
export interface Server {
  readonly name: string;
  readonly effect: 'run' | 'network';
  /** Settles when the first attempt to connect has come to something; never rejects. */
  readonly ready: Promise<void>;
  tools(): readonly ServerTool[];
  /** Why there is no connection; undefined while there is one or one is being made. */
  problem(): string | undefined;
  isConnected(): boolean;
  /** Connects again first where the connection was lost. */
  call(tool: string, input: JsonObject, signal: AbortSignal): Promise<CallToolResult>;
  close(): Promise<void>;
}

interface State {
  connection: Connection | undefined;
  /** An attempt that is under way. */
  attempt: Promise<Connection> | undefined;
  tools: readonly ServerTool[];
  problem: string | undefined;
  failures: number;
  /** When, on the clock of `performance.now`, it may be tried again. */
  notBefore: number;
  /** Aborted when the server is no longer wanted. */
  readonly lifetime: AbortController;
}

/** Connects at once. The library that speaks to servers is loaded by the first of them. */
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
  const reach = (): Promise<Connection> => connected(state, config, { ...options, log });
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

/** The connection there is, or a new one; after failures, no sooner than a growing pause allows. */
async function connected(
  state: State,
  config: ServerConfig,
  options: ConnectionOptions,
): Promise<Connection> {
  if (state.lifetime.signal.aborted) throw new Error('it is no longer configured');
  const { connection } = state;
  if (connection !== undefined && connection.lost() === undefined) return connection;
  if (connection !== undefined) forget(state, connection);
  if (performance.now() < state.notBefore) throw new Error(`${state.problem}; it is tried again in a while`);
  state.attempt ??= attempt(state, config, options).finally(() => {
    state.attempt = undefined;
  });
  return state.attempt;
}

/** What it offered stays on offer: the next use brings it back. */
function forget(state: State, connection: Connection): void {
  state.tools = connection.tools();
  state.problem = connection.lost();
  state.connection = undefined;
  void connection.close();
}

async function attempt(state: State, config: ServerConfig, options: ConnectionOptions): Promise<Connection> {
  try {
    const { connect } = await import('./connection.ts');
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
