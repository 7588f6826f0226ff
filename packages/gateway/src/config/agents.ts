import type { Profile } from '@plugboard/host';
import type { Checked } from '@plugboard/host/profile';
import { type AgentSource, readAgentProfile } from './agent-profile.ts';
import { agentFields } from './agent-schema.ts';
import type { AgentConfig } from './config.ts';
import { withHiddenValues } from './hidden.ts';
import { checkFields, isRecord, problemAt } from './reader.ts';
import type { Reading } from './reading.ts';
import { AGENT_NAME_WANTED, agentName } from './schema.ts';

const NO_MAP = 'An agent is a map of fields, such as { profile: FILE }.';
const OWN = Object.keys(agentFields.shape);

/** Reads `agents` in the order of the file; without any, returns `options.demos`. */
export async function readAgents(reading: Reading, problems: string[]): Promise<Map<string, AgentConfig>> {
  const agents = new Map<string, AgentConfig>();
  const given = isRecord(reading.filled.value) ? reading.filled.value.agents : undefined;
  const written = isRecord(given) ? given : {};
  const names = agentNames(reading);
  const read = names.map((name) => readAgent(reading, name, written[name]));
  for (const agent of await Promise.all(read)) {
    if (agent.ok) agents.set(agent.value.name, agent.value);
    else problems.push(...agent.problems);
  }
  return names.length === 0 ? demoAgents(reading) : agents;
}

/** Agent names in the file, even if the file has problems elsewhere. */
export function agentNames({ source, filled }: Reading): readonly string[] {
  const agents = isRecord(filled.value) ? filled.value.agents : undefined;
  // `source.keys` gives the order of the file; names that come from a YAML alias follow.
  return isRecord(agents) ? [...new Set([...source.keys(['agents']), ...Object.keys(agents)])] : [];
}

async function readAgent(reading: Reading, name: string, value: unknown): Promise<Checked<AgentConfig>> {
  const { source } = reading;
  const base = ['agents', name];
  // Checked here too, because the schema skips names like `__proto__`.
  const sentence = agentName.safeParse(name).success ? NO_MAP : AGENT_NAME_WANTED;
  if (sentence !== NO_MAP || !isRecord(value)) {
    return { ok: false, problems: [problemAt({ source, value, base }, base, sentence)] };
  }
  const fields = Object.entries(value);
  const own = Object.fromEntries(fields.filter(([field]) => OWN.includes(field)));
  const rest = Object.fromEntries(fields.filter(([field]) => !OWN.includes(field)));
  const agent: AgentSource = {
    reading,
    name,
    fields: { source, value: rest, base, beside: OWN },
    value: rest,
  };
  const checked = checkFields({ source, value: own, base }, agentFields);
  const profile = await readAgentProfile(agent);
  if (!checked.ok || !profile.ok) {
    return { ok: false, problems: [checked, profile].flatMap((part) => (part.ok ? [] : part.problems)) };
  }
  return { ok: true, value: agentOf(name, checked.value, profile.value) };
}

function demoAgents({ options }: Reading): Map<string, AgentConfig> {
  const agents = [...options.demos].map(([name, { profile, description }]): [string, AgentConfig] => [
    name,
    agentOf(name, agentFields.parse({ description }), profile),
  ]);
  return new Map(agents);
}

function agentOf(name: string, fields: ReturnType<typeof agentFields.parse>, profile: Profile): AgentConfig {
  return {
    name,
    ...(fields.description === undefined ? {} : { description: fields.description }),
    profile: withHiddenValues({ ...profile, name }),
    share: fields.share,
    parkAfterMs: fields.park_after_secs * 1000,
    ...(fields.max_running === undefined ? {} : { maxRunning: fields.max_running }),
    onCrash: fields.on_crash,
  };
}
