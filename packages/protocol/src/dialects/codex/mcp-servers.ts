import { isObject } from '../../framing/json.ts';
import { listOf, objectOf } from '../../framing/narrow.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';

/** MCP servers by name, as `config.toml` has them. `given` are servers by name, or lists in the form of ACP. */
export function readMcpServers(given: readonly (JsonValue | undefined)[]): JsonObject {
  return Object.fromEntries(given.flatMap(namedServers));
}

function namedServers(given: JsonValue | undefined): [string, JsonObject][] {
  if (isObject(given))
    return Object.entries(given).flatMap(([name, server]) => writeServer(name, objectOf(server)));
  return listOf(given).flatMap((server) => writeServer(objectOf(server).name, objectOf(server)));
}

/** The program takes letters, digits, `_` and `-` in the name of a server. */
function writeServer(name: JsonValue | undefined, server: JsonObject): [string, JsonObject][] {
  if (typeof name !== 'string' || name === '') return [];
  const { command, args, env, url, headers, name: _name, type: _type, ...others } = server;
  const known = name.replace(/[^\w-]/g, '_');
  if (typeof command === 'string')
    return [[known, { ...others, command, args: listOf(args).map(String), env: readPairs(env) }]];
  if (typeof url !== 'string') return [];
  return [
    [known, { ...others, url, ...(headers === undefined ? {} : { http_headers: readPairs(headers) }) }],
  ];
}

function readPairs(value: JsonValue | undefined): JsonObject {
  const pairs = isObject(value)
    ? Object.entries(value)
    : listOf(value).map((pair) => [String(objectOf(pair).name), objectOf(pair).value] as const);
  return Object.fromEntries(pairs.map(([name, text]) => [name, String(text ?? '')]));
}
