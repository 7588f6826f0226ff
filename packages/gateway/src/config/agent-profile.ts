import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { type Profile, ProfileError, readProfile } from '@plugboard/host';
import type { Checked, Fields } from '@plugboard/host/profile';
import { dialects } from '@plugboard/protocol';
import { demoFields, profileFieldNames, profileFileFields } from './agent-schema.ts';
import { pathKey } from './path.ts';
import { checkFields, prewarmProblem, problemAt, profileFrom } from './reader.ts';
import { absolutePath, type Reading, shownPath } from './reading.ts';

/** One agent as it stands in the configuration file. */
export interface AgentSource {
  readonly reading: Reading;
  readonly name: string;
  readonly fields: Fields;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Reads the profile of an agent: of the demo, of a profile file (`profile`), or of the fields of the agent itself. */
export async function readAgentProfile(agent: AgentSource): Promise<Checked<Profile>> {
  const { reading, fields, value } = agent;
  if (Object.hasOwn(value, 'demo')) {
    const checked = checkFields(fields, demoFields);
    const [first] = reading.options.demos.values();
    if (first === undefined) throw new Error('No agent comes with this program.');
    return checked.ok ? { ok: true, value: first.profile } : checked;
  }
  return Object.hasOwn(value, 'profile') ? fromFile(agent) : inlineProfile(agent);
}

async function fromFile({ reading, fields, value }: AgentSource): Promise<Checked<Profile>> {
  const misplaced = fieldsOfProfile(value);
  const rest = Object.fromEntries(Object.entries(value).filter(([field]) => !misplaced.includes(field)));
  const checked = checkFields({ ...fields, value: rest }, profileFileFields);
  const problems = misplaced.map((field) =>
    problemAt(fields, [...fields.base, field], 'This field belongs in the profile that is named here.'),
  );
  if (!checked.ok) return { ok: false, problems: [...problems, ...checked.problems] };
  const { profile: path, prewarm } = checked.value;
  const profile = await readFile(reading, fields, path);
  if (!profile.ok) return { ok: false, problems: [...problems, ...profile.problems] };
  if (problems.length > 0) return { ok: false, problems };
  if (prewarm === undefined) return profile;
  const prewarmed = { ...profile.value, prewarm };
  const problem = prewarmProblem(prewarmed);
  if (problem === undefined) return { ok: true, value: prewarmed };
  return { ok: false, problems: [problemAt(fields, [...fields.base, 'prewarm'], problem)] };
}

function fieldsOfProfile(value: AgentSource['value']): string[] {
  const known = profileFieldNames();
  const own = Object.keys(profileFileFields.shape);
  return Object.keys(value).filter((field) => known.has(field) && !own.includes(field));
}

async function readFile(reading: Reading, fields: Fields, path: string): Promise<Checked<Profile>> {
  const shown = shownPath(reading, path);
  reading.files.add(absolutePath(reading, path));
  try {
    return { ok: true, value: await readProfile(shown, { workspace: reading.directory }) };
  } catch (error) {
    if (!(error instanceof ProfileError)) throw error;
    // A problem of the profile file keeps its own `file:line`; all other problems are located at the field `profile`.
    const told = error.problems.map((problem) =>
      problem.startsWith(`${shown}:`) ? problem : problemAt(fields, [...fields.base, 'profile'], problem),
    );
    return { ok: false, problems: told };
  }
}

function inlineProfile(agent: AgentSource): Checked<Profile> {
  const { reading, name, fields } = agent;
  const { directory } = reading;
  const file = `${resolve(reading.source.file)}#${name}`;
  const origin = { file, directory, workspace: directory, name, home: homedir() };
  const beside = [...(fields.beside ?? []), 'profile', 'demo'];
  const profile = profileFrom({ ...fields, beside }, origin);
  if (!profile.ok) return profile;
  const problems = filledTwice(agent, profile.value);
  return problems.length > 0 ? { ok: false, problems } : profile;
}

/**
 * AgentProc fills `${NAME}` and `{{NAME}}` in variables when a turn runs. A value that contains these characters would
 * be filled a second time, and could name a different variable.
 */
function filledTwice({ reading, name, fields }: AgentSource, profile: Profile): string[] {
  if (dialects[profile.dialect].fillsVariables !== true) return [];
  return Object.entries(profile.settings.env).flatMap(([variable, text]) => {
    const path = ['agents', name, 'env', variable];
    const written = reading.filled.written.get(pathKey(path));
    if (written === undefined || !isTemplateBeyond(written, text)) return [];
    return [
      problemAt(
        fields,
        path,
        'AgentProc would fill in what stands in this value: give it in a profile file.',
      ),
    ];
  });
}

function isTemplateBeyond(written: string, text: string): boolean {
  const placeholders = (of: string): number => of.match(/\{\{[A-Z_]+\}\}/g)?.length ?? 0;
  return /\$\{[A-Za-z_][A-Za-z0-9_]*\}/.test(text) || placeholders(text) > placeholders(written);
}
