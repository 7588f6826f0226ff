import { resolve } from 'node:path';
import {
  type CallToolResult,
  Client,
  type Tool as ServerTool,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { baseEnvironment } from '@plugboard/process';
import type { JsonObject } from '@plugboard/protocol';
import { firstLineOf } from '../outcome.ts';
import type { HttpConfig, ServerConfig } from './config.ts';
import { type ProgramTransport, programTransport } from './program.ts';

const CONNECT_MS = 30_000;
const CALL_MS = 120_000;
const LONGEST_CALL_MS = 600_000;

export interface ConnectionOptions {
  readonly directory: string;
  /** Programs of servers get `baseEnvironment` of it, and no other variables. */
  readonly environment: Readonly<Record<string, string>>;
  readonly version: string;
  readonly log: (text: string) => void;
}

export interface Connection {
  tools(): readonly ServerTool[];
  call(tool: string, input: JsonObject, signal: AbortSignal): Promise<CallToolResult>;
  /** Why the connection was lost; undefined while it is open. */
  lost(): string | undefined;
  close(): Promise<void>;
}

/** Connects to a server and lists its tools. Throws a sentence, with the program ended, when that fails. */
export async function connectServer(
  config: ServerConfig,
  options: ConnectionOptions,
  signal: AbortSignal,
): Promise<Connection> {
  const program = 'command' in config ? startProgram(config, options) : undefined;
  const transport = program ?? httpTransport(config as HttpConfig);
  let tools: readonly ServerTool[] = [];
  let lost: string | undefined;
  const onChanged = (error: Error | null, changed: ServerTool[] | null): void => {
    if (error !== null) options.log(`It could not be asked for its tools again: ${firstLineOf(error)}`);
    tools = changed ?? tools;
  };
  const client = new Client(
    { name: 'nuum', version: options.version },
    { listChanged: { tools: { onChanged } } },
  );
  client.onerror = (error) => options.log(firstLineOf(error));
  client.onclose = () => {
    lost = program?.lastWords() ?? 'the connection was closed';
  };
  try {
    tools = await initializeClient(client, transport, { timeout: config.timeout ?? CONNECT_MS, signal });
  } catch (error) {
    const words = program?.lastWords();
    await closeAll(client, transport);
    throw new Error(words ?? firstLineOf(error));
  }
  return {
    tools: () => tools,
    call: (name, input, signal) =>
      client.callTool({ name, arguments: { ...input } }, { ...callLimits(config), signal }),
    lost: () => lost,
    close: () => closeAll(client, transport),
  };
}

async function initializeClient(
  client: Client,
  transport: Transport,
  limits: { readonly timeout: number; readonly signal: AbortSignal },
): Promise<readonly ServerTool[]> {
  await client.connect(transport, limits);
  if (client.getServerCapabilities()?.tools === undefined) return [];
  return (await client.listTools({}, limits)).tools;
}

function callLimits({ timeout = CALL_MS }: ServerConfig) {
  return { timeout, resetTimeoutOnProgress: true, maxTotalTimeout: Math.max(timeout, LONGEST_CALL_MS) };
}

async function closeAll(client: Client, transport: Transport): Promise<void> {
  await client.close().catch(() => {});
  await transport.close().catch(() => {});
}

function startProgram(
  config: Extract<ServerConfig, { command: string }>,
  options: ConnectionOptions,
): ProgramTransport {
  return programTransport({
    command: config.command,
    args: config.args ?? [],
    cwd: resolve(options.directory, config.cwd ?? '.'),
    env: { ...baseEnvironment(options.environment), ...config.env },
  });
}

function httpTransport({ url, headers = {}, transport, type }: HttpConfig): Transport {
  const requestInit = { headers };
  if ((transport ?? type) === 'sse') return new SSEClientTransport(new URL(url), { requestInit });
  return new StreamableHTTPClientTransport(new URL(url), { requestInit });
}
