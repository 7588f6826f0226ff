import { agentFields } from './agent-schema.ts';
import type { Config, ShownField } from './config.ts';
import type { Path } from './path.ts';
import { isRecord } from './reader.ts';
import type { Reading } from './reading.ts';
import { isReference } from './references.ts';
import type { ConfigFields } from './schema.ts';
import { Secret } from './secret.ts';

/** Every value in effect: as it was written, with its place, or the default that stands for it. */
export function shownFields(
  reading: Reading,
  fields: ConfigFields,
  { agents, defaultAgent, store }: Omit<Config, 'file' | 'shown'>,
): readonly ShownField[] {
  const written = isRecord(reading.source.value) ? reading.source.value : {};
  const given = isRecord(written.agents) ? written.agents : {};
  const { agents: _given, ...rest } = fields;
  const effective = { ...rest, default_agent: defaultAgent, store: { ...fields.store, file: store.file } };
  const found = [
    ...[...agents.keys()].flatMap((name) => {
      return leaves({ ...agentDefaults(), ...asRecord(given[name] ?? { demo: true }) }, ['agents', name]);
    }),
    ...leaves(effective, []),
  ];
  return found.map(([path, value]) => shown(reading, written, path, value));
}

function agentDefaults(): Record<string, unknown> {
  return agentFields.parse({});
}

function asRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** Lists are shown whole; what has neither value nor default is not shown. */
function leaves(value: unknown, path: Path): [Path, unknown][] {
  if (value === undefined) return [];
  if (!isRecord(value) || value instanceof Secret) return [[path, value]];
  return Object.entries(value).flatMap(([key, item]) => leaves(item, [...path, key]));
}

function shown(reading: Reading, written: unknown, path: Path, value: unknown): ShownField {
  const field = path.map(String).join('.');
  const said = path.reduce<unknown>((at, key) => (isRecord(at) ? at[String(key)] : undefined), written);
  if (said === undefined || said === null) return { field, value: text(value), origin: 'default' };
  const origin = reading.source.place(path).replace(/:\d+$/, '');
  return { field, value: isPrivate(path, said) ? '[hidden]' : text(said), origin };
}

/** Variables and keys of agents are often secrets; only a reference says nothing about them. */
function isPrivate(path: Path, said: unknown): boolean {
  const keeps = path[0] === 'agents' && (path[2] === 'env' || path.at(-1) === 'apiKeys');
  return keeps && !(typeof said === 'string' && isReference(said));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
