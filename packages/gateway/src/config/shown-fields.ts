import { agentFields } from './agent-schema.ts';
import type { Config, ShownField } from './config.ts';
import type { Path } from './path.ts';
import { isRecord } from './reader.ts';
import type { Reading } from './reading.ts';
import { isReference } from './references.ts';
import type { ConfigFields } from './schema.ts';
import { Secret } from './secret.ts';
import { withStoreUrl } from './store-url.ts';

/** Lists all values: as written with their `file:line`, or their default. */
export function shownFields(
  reading: Reading,
  fields: ConfigFields,
  { agents, defaultAgent, store }: Omit<Config, 'file' | 'shown'>,
): readonly ShownField[] {
  const written = isRecord(reading.source.value) ? withStoreUrl(reading.source.value) : {};
  const given = isRecord(written.agents) ? written.agents : {};
  const { agents: _given, ...rest } = fields;
  const effective = { ...rest, default_agent: defaultAgent, store: shownStore(store) };
  const found = [
    ...[...agents.keys()].flatMap((name) => {
      return leavesOf({ ...agentDefaults(), ...asRecord(given[name] ?? { demo: true }) }, ['agents', name]);
    }),
    ...leavesOf(effective, []),
  ];
  return found.map(([path, value]) => shownField(reading, written, path, value));
}

/** With a URL, the other fields have no effect. */
function shownStore({ driver, url, ...rest }: Config['store']): object {
  return url === undefined ? { driver, ...rest } : { driver, url };
}

function agentDefaults(): Record<string, unknown> {
  return agentFields.parse({});
}

function asRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** A list is one leaf; undefined values are left out. */
function leavesOf(value: unknown, path: Path): [Path, unknown][] {
  if (value === undefined) return [];
  if (!isRecord(value) || value instanceof Secret) return [[path, value]];
  return Object.entries(value).flatMap(([key, item]) => leavesOf(item, [...path, key]));
}

function shownField(reading: Reading, written: unknown, path: Path, value: unknown): ShownField {
  const field = path.map(String).join('.');
  const said = path.reduce<unknown>((at, key) => (isRecord(at) ? at[String(key)] : undefined), written);
  if (said === undefined || said === null) return { field, value: textOf(value), origin: 'default' };
  const origin = reading.source.place(path).replace(/:\d+$/, '');
  return { field, value: isPrivate(path, said) ? '[hidden]' : textOf(said), origin };
}

/** `env` and `apiKeys` of agents often contain secrets; only a reference may be shown. */
function isPrivate(path: Path, said: unknown): boolean {
  const keeps = path[0] === 'agents' && (path[2] === 'env' || path.at(-1) === 'apiKeys');
  return keeps && !(typeof said === 'string' && isReference(said));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
