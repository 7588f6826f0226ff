import type { AgentConfig, Config, PlatformConfig } from './config.ts';
import { same } from './equality.ts';

/** Differences between two configurations. */
export interface ConfigChanges {
  readonly agents: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
  };
  /** Names of channels of platforms that were added, removed or changed, apart from who may talk there. */
  readonly channels: readonly string[];
  /** Changed fields outside `agents` that take effect at once, such as `limits.agents`. */
  readonly fields: readonly string[];
  /** Changed fields that take effect only after a restart. */
  readonly restart: readonly string[];
  /** True when the configurations are equal. */
  readonly none: boolean;
}

const GROUPS = ['server', 'store', 'limits', 'log'] as const;

/** Fields that are used once at the start, to bind or open. */
const FIXED =
  /^(env|spawn|server\.(host|port|public_url)|store\..*|media|channels\.(web|cli)|limits\.recordings|limits\.recording_bytes)$/;

export function diffConfig(before: Config, after: Config): ConfigChanges {
  const agents = diffAgents(before.agents, after.agents);
  const different = [
    ...(['env', 'defaultAgent', 'spawn', 'media'] as const).filter(
      (field) => !same(before[field], after[field]),
    ),
    ...GROUPS.flatMap((group) => differingFields(group, before[group], after[group])),
    ...differingChannels(before.channels, after.channels),
  ].map(asWritten);
  const channels = changedChannels(before.channels, after.channels);
  const restart = different.filter((field) => FIXED.test(field));
  const none = different.length === 0 && Object.values(agents).every((names) => names.length === 0);
  return { agents, channels, fields: different.filter((field) => !FIXED.test(field)), restart, none };
}

/** Returns `after` with the agent objects of `before` where they are equal, so that callers can compare by identity. */
export function keepUnchanged(before: Config, after: Config): Config {
  const agents = [...after.agents].map(([name, agent]): [string, AgentConfig] => {
    const old = before.agents.get(name);
    return [name, old !== undefined && same(old, agent) ? old : agent];
  });
  return { ...after, agents: new Map(agents) };
}

function diffAgents(before: Config['agents'], after: Config['agents']): ConfigChanges['agents'] {
  const names = [...after.keys()];
  return {
    added: names.filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !after.has(name)),
    changed: names.filter((name) => before.has(name) && !same(before.get(name), after.get(name))),
  };
}

/** `channels.NAME`, or `channels.NAME.access` where only the people who may talk have changed. */
function differingChannels(before: Config['channels'], after: Config['channels']): string[] {
  const { platforms: old, ...builtIn } = before;
  const { platforms, ...builtInAfter } = after;
  const changed = changedChannels(before, after);
  const people = [...platforms.keys()].filter(
    (name) => !changed.includes(name) && !same(old.get(name)?.access, platforms.get(name)?.access),
  );
  return [
    ...differingFields('channels', builtIn, builtInAfter),
    ...changed.map((name) => `channels.${name}`),
    ...people.map((name) => `channels.${name}.access`),
  ];
}

function changedChannels(
  { platforms: before }: Config['channels'],
  { platforms: after }: Config['channels'],
) {
  const withoutAccess = (platform: PlatformConfig | undefined) =>
    platform === undefined ? undefined : { ...platform, access: undefined };
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => !same(withoutAccess(before.get(name)), withoutAccess(after.get(name))),
  );
}

function differingFields(group: string, before: object, after: object): string[] {
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...fields]
    .filter((field) => !same(fieldOf(before, field), fieldOf(after, field)))
    .map((field) => `${group}.${field}`);
}

function fieldOf(record: object, field: string): unknown {
  return Object.entries(record).find(([key]) => key === field)?.[1];
}

/** The field in the spelling of the file: `turnMs` is `turn_secs`. */
function asWritten(field: string): string {
  return field.replace(/Ms$/, 'Secs').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
