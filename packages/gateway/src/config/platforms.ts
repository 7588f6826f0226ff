import { nearest } from '@plugboard/host';
import type { z } from 'zod';
import { channelKinds } from '../channels/kinds.ts';
import type { PlatformConfig } from './config.ts';
import { platformProblems, sharedAccounts } from './platform-problems.ts';
import { channelName, platformFields } from './platform-schema.ts';
import { checkFields, isRecord, meant, problemAt } from './reader.ts';
import type { Reading } from './reading.ts';
import { readSecrets } from './secrets.ts';

/** Channels that need no platform. */
const BUILT_IN = new Set(['web', 'cli']);

const COMMON = Object.keys(platformFields.shape);

/** Reads the channels of platforms; those with `enabled: false` are checked, and left out. */
export async function readPlatforms(
  reading: Reading,
  problems: string[],
): Promise<ReadonlyMap<string, PlatformConfig>> {
  const { value } = reading.filled;
  const given = isRecord(value) && isRecord(value.channels) ? value.channels : {};
  const platforms = new Map<string, PlatformConfig>();
  for (const [name, fields] of Object.entries(given)) {
    if (BUILT_IN.has(name)) continue;
    const platform = await readPlatform(reading, name, fields, problems);
    if (platform !== undefined) platforms.set(name, platform);
  }
  problems.push(...sharedAccounts(reading, platforms.values()));
  return platforms;
}

async function readPlatform(
  reading: Reading,
  name: string,
  value: unknown,
  problems: string[],
): Promise<PlatformConfig | undefined> {
  const { source } = reading;
  const base = ['channels', name];
  const refuse = (sentence: string): undefined => {
    problems.push(problemAt({ source, value, base }, base, sentence));
    return undefined;
  };
  // A map without `kind` and with fields of a built-in channel, or a name close to one, is a misspelling.
  const isNamed = isRecord(value) && typeof value.kind === 'string';
  if (!isNamed && !channelKinds.has(name)) {
    const near = nearest(name, [...BUILT_IN, ...channelKinds.keys()]);
    if (near !== undefined) {
      problems.push(`${source.place(base)}: unknown field "${name}".${meant(near)}`);
      return undefined;
    }
  }
  const named = channelName.safeParse(name);
  if (!named.success) return refuse('A name is 1 to 64 of a-z, 0-9 and -, and does not begin with -.');
  if (!isRecord(value)) return refuse('A channel is a map of fields.');
  const kind = channelKinds.get(typeof value.kind === 'string' ? value.kind : name);
  if (kind === undefined) return refuse(unknownKind(name, value));
  const entries = Object.entries(value);
  const isCommon = ([field]: readonly [string, unknown]): boolean => COMMON.includes(field);
  const common = checkFields(
    { source, value: Object.fromEntries(entries.filter(isCommon)), base },
    platformFields,
  );
  const own = checkFields(
    { source, value: Object.fromEntries(entries.filter((entry) => !isCommon(entry))), base, beside: COMMON },
    kind.fields,
  );
  for (const part of [common, own]) if (!part.ok) problems.push(...part.problems);
  if (!common.ok || !own.ok) return undefined;
  const settings = await readSecrets(reading, own.value, problems, base);
  const fields = common.value;
  const platform: PlatformConfig = {
    name,
    kind: kind.name,
    settings,
    sessions: fields.sessions,
    progress: fields.progress,
    ...agentsOf(fields),
    access: {
      allow: fields.allow,
      owners: fields.owners,
      groups: fields.groups,
      pairing: fields.pairing,
      ...(fields.turns_per_day === undefined ? {} : { turnsPerDay: fields.turns_per_day }),
      ...(fields.cost_per_day === undefined ? {} : { costPerDay: fields.cost_per_day }),
    },
  };
  problems.push(...platformProblems(reading, kind, platform));
  return fields.enabled ? platform : undefined;
}

/** A channel with an `agent` has that one alone, unless `agents` names others. */
function agentsOf({
  agent,
  agents,
}: z.infer<typeof platformFields>): Pick<PlatformConfig, 'agent' | 'agents'> {
  const own = agent === undefined ? [] : [agent];
  const all = agents === undefined ? own : [...new Set([...own, ...agents])];
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(all.length === 0 ? {} : { agents: all }),
  };
}

function unknownKind(name: string, { kind }: Readonly<Record<string, unknown>>): string {
  const names = [...channelKinds.keys()];
  const list = `There are: web, cli, ${names.join(', ')}.`;
  if (typeof kind === 'string')
    return `There is no kind of channel "${kind}".${meant(nearest(kind, names))} ${list}`;
  return `The channel "${name}" needs a kind, such as kind: ${names[0]}. ${list}`;
}
