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

/** The agents of a file in the order they were written; without any, those that come with the program. */
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

/** The names in the file, whatever else is wrong with it. */
export function agentNames({ source, filled }: Reading): readonly string[] {
  const agents = isRecord(filled.value) ? filled.value.agents : undefined;
  // Those of the source come first and in their order; where an alias stands, it has none.
  return isRecord(agents) ? [...new Set([...source.keys(['agents']), ...Object.keys(agents)])] : [];
}

async function readAgent(reading: Reading, name: string, value: unknown): Promise<Checked<AgentConfig>> {
  const { source } = reading;
  const base = ['agents', name];
  // Looked at here too: the schema passes over a name that means something else in JavaScript.
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
