import type { JsonObject } from '@plugboard/protocol';
import type { Tool } from '../tool.ts';
import { readConfig, toCanonicalJson } from './config.ts';
import type { ConnectionOptions } from './connection.ts';
import { offerTools } from './offer-tools.ts';
import { createServer, type Server } from './server.ts';

/** How long a turn waits for servers. Tools of slower ones are offered in a later turn. */
const READY_MS = 10_000;

/** The most different messages that are logged: a server may rename its tools without end. */
const MOST_TOLD = 500;

export interface McpOptions extends ConnectionOptions {
  /** Replaces `READY_MS`. */
  readonly readyMs?: number;
}

interface ServerStatus {
  readonly name: string;
  readonly state: 'connected' | 'connecting' | 'failed' | 'disabled';
  readonly tools: number;
  readonly problem?: string;
}

/** MCP servers of an agent. */
export interface Mcp {
  /**
   * Replaces the servers. One whose entry is unchanged keeps its connection. Waits until each is connected or has
   * failed, at most `readyMs`. `undefined` changes nothing.
   */
  configure(servers: JsonObject | undefined): Promise<void>;
  tools(): Tool[];
  status(): ServerStatus[];
  /** One sentence for each server without a connection; each sentence is returned once. */
  problems(): string[];
  /** Closes all connections and ends all programs. */
  close(): Promise<void>;
}

type Entry =
  | { readonly kind: 'server'; readonly key: string; readonly server: Server }
  | { readonly kind: 'disabled' | 'wrong'; readonly key: string; readonly problem?: string };

/** Without servers until `configure`. */
export function createMcp(options: McpOptions): Mcp {
  let entries = new Map<string, Entry>();
  let line: Promise<void> = Promise.resolve();
  let closed = false;
  /** Ends the wait of the `configure` call before. */
  let hurry = (): void => {};
  const told = new Set<string>();
  const complain = (text: string): void => {
    if (told.has(text) || told.size >= MOST_TOLD) return;
    told.add(text);
    options.log(text);
  };
  const servers = (): Server[] =>
    [...entries.values()].flatMap((entry) => (entry.kind === 'server' ? [entry.server] : []));

  const change = async (wanted: JsonObject): Promise<void> => {
    const before = entries;
    entries = new Map(closed ? [] : Object.entries(wanted).map(([name, value]) => [name, keep(name, value)]));
    function keep(name: string, value: JsonObject[string]): Entry {
      const key = toCanonicalJson(value);
      const old = before.get(name);
      return old?.key === key ? old : createEntry(name, key, value, options);
    }
    const kept = new Set(entries.values());
    const dropped = [...before.values()].filter((entry) => !kept.has(entry));
    await Promise.all(dropped.map((entry) => (entry.kind === 'server' ? entry.server.close() : undefined)));
    await waitUntilReady(servers(), options.readyMs ?? READY_MS, (end) => {
      hurry = end;
    });
  };
  const queue = (wanted: JsonObject): Promise<void> => {
    hurry();
    line = line.then(() => change(wanted));
    return line;
  };

  let given: ReadonlySet<string> = new Set();
  const status = (): ServerStatus[] => [...entries].map(([name, entry]) => statusOf(name, entry));
  return {
    configure: (wanted) => (wanted === undefined ? line : queue(wanted)),
    tools: () => offerTools(servers(), complain),
    status,
    problems: () => {
      const found = status().flatMap(({ name, problem }) =>
        problem === undefined ? [] : [`The server ${JSON.stringify(name)} has no connection: ${problem}`],
      );
      const fresh = found.filter((text) => !given.has(text));
      given = new Set(found);
      return fresh;
    },
    close() {
      closed = true;
      return queue({});
    },
  };
}

function createEntry(name: string, key: string, value: JsonObject[string], options: McpOptions): Entry {
  const read = name === '' ? { ok: false as const, problem: 'it has no name' } : readConfig(value);
  if (!read.ok) {
    options.log(`The server ${JSON.stringify(name)} is left out: ${read.problem}.`);
    return { kind: 'wrong', key, problem: read.problem };
  }
  if (read.config.disabled === true) return { kind: 'disabled', key };
  return { kind: 'server', key, server: createServer(name, read.config, options) };
}

async function waitUntilReady(
  servers: readonly Server[],
  limitMs: number,
  onBegin: (end: () => void) => void,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
    onBegin(resolve);
  });
  await Promise.race([Promise.all(servers.map(({ ready }) => ready)), late]);
  clearTimeout(timer);
}

function statusOf(name: string, entry: Entry): ServerStatus {
  if (entry.kind !== 'server') {
    const problem = entry.problem === undefined ? {} : { problem: entry.problem };
    return { name, state: entry.kind === 'wrong' ? 'failed' : 'disabled', tools: 0, ...problem };
  }
  const { server } = entry;
  const problem = server.problem();
  const tools = server.tools().length;
  if (server.isConnected()) return { name, state: 'connected', tools };
  return problem === undefined
    ? { name, state: 'connecting', tools }
    : { name, state: 'failed', tools, problem };
}
