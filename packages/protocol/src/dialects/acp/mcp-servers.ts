import { isObject } from '../../framing/json.ts';
import { listOf, objectOf, stringOf } from '../../framing/narrow.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';

/** MCP servers in the form of the protocol, and the names of those that an agent with `can` cannot connect to. */
export interface McpServers {
  readonly servers: readonly JsonObject[];
  readonly left: readonly string[];
}

/** `given` are servers by name, or a list in the form of the protocol. `can` are the `mcpCapabilities`. */
export function readMcpServers(given: readonly (JsonValue | undefined)[], can: JsonObject): McpServers {
  const servers = new Map<string, JsonObject>();
  for (const one of given.flatMap(namedServers)) servers.set(String(one.name), one);
  const usable = [...servers.values()].filter(({ type }) => type === undefined || can[String(type)] === true);
  return {
    servers: usable,
    left: [...servers.values()].filter((one) => !usable.includes(one)).map(({ name }) => String(name)),
  };
}

function namedServers(given: JsonValue | undefined): JsonObject[] {
  if (isObject(given))
    return Object.entries(given).flatMap(([name, server]) => writeServer({ ...objectOf(server), name }));
  return listOf(given).flatMap((server) => writeServer(objectOf(server)));
}

function writeServer({ name, type, command, args, env, url, headers }: JsonObject): JsonObject[] {
  if (typeof name !== 'string') return [];
  if (typeof command === 'string')
    return [{ name, command, args: listOf(args).map(String), env: writePairs(env) }];
  if (typeof url !== 'string') return [];
  return [{ type: stringOf(type) ?? 'http', name, url, headers: writePairs(headers) }];
}

function writePairs(value: JsonValue | undefined): JsonObject[] {
  if (isObject(value))
    return Object.entries(value).map(([name, text]) => ({ name, value: String(text ?? '') }));
  return listOf(value).flatMap((pair) => {
    const { name, value: text } = objectOf(pair);
    return typeof name === 'string' ? [{ name, value: String(text ?? '') }] : [];
  });
}
