import type { AgentConfig, Config } from './config.ts';
import { same } from './same.ts';

/** What tells one configuration from the one before it. */
export interface ConfigChanges {
  readonly agents: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
  };
  /** Other fields that are different, such as `limits.agents`, and take effect at once. */
  readonly fields: readonly string[];
  /** Those that take effect only when the gateway is started again. */
  readonly restart: readonly string[];
  /** Nothing is different. */
  readonly none: boolean;
}

const GROUPS = ['server', 'store', 'channels', 'limits', 'log'] as const;

/** What is bound or opened once, at the start. */
const FIXED =
  /^(env|spawn|server\.(host|port|public_url)|(store|channels)\..*|limits\.recordings|limits\.recording_bytes)$/;

export function diffConfig(before: Config, after: Config): ConfigChanges {
  const agents = diffAgents(before.agents, after.agents);
  const different = [
    ...(['env', 'defaultAgent', 'spawn'] as const).filter((field) => !same(before[field], after[field])),
    ...GROUPS.flatMap((group) => differing(group, before[group], after[group])),
  ].map(asWritten);
  const restart = different.filter((field) => FIXED.test(field));
  const none = different.length === 0 && Object.values(agents).every((names) => names.length === 0);
  return { agents, fields: different.filter((field) => !FIXED.test(field)), restart, none };
}

/** The newer configuration with the very records of agents that are as they were: who compares them finds them unchanged. */
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

function differing(group: string, before: object, after: object): string[] {
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...fields]
    .filter((field) => !same(fieldOf(before, field), fieldOf(after, field)))
    .map((field) => `${group}.${field}`);
}

function fieldOf(record: object, field: string): unknown {
  return Object.entries(record).find(([key]) => key === field)?.[1];
}

/** A field as the file spells it. */
function asWritten(field: string): string {
  return field.replace(/Ms$/, 'Secs').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
