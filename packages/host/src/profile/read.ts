import { homedir } from 'node:os';
import { basename, dirname, resolve } from 'node:path';
import { checkFields, type Fields, isRecord, problemAt } from './check.ts';
import { bad, type Checked, good } from './checked.ts';
import type { Origin } from './create-profile.ts';
import { fromNanobot, nanobotSchema } from './dialects/terminal.ts';
import { parseSource, type SourceDocument } from './document.ts';
import { ProfileError } from './error.ts';
import { readSource } from './file.ts';
import { profileFrom } from './inline.ts';
import type { ReadOptions } from './options.ts';
import type { Profile } from './profile.ts';

/** Reads and checks a profile file. */
export async function readProfileFile(path: string, options: ReadOptions = {}): Promise<Profile> {
  const file = resolve(path);
  const directory = dirname(file);
  const origin = { file, directory, workspace: directory, name: nameOf(file), home: homedir() };
  const source = unwrap(await readSource(path, 'profile'));
  return unwrap(profileIn(source, origin, options));
}

/** Like `readProfileFile`, for text that is already in memory; `path` names it in errors. */
export function parseProfile(path: string, text: string, origin: Origin, options: ReadOptions = {}): Profile {
  return unwrap(profileIn(unwrap(parseSource(path, text)), origin, options));
}

function profileIn(source: SourceDocument, origin: Origin, options: ReadOptions): Checked<Profile> {
  const { value } = source;
  if (!isRecord(value)) return bad(`${source.file}: a profile is a map of fields; this file is not one.`);
  if (isRecord(value.terminal)) return fromNanobotFile(source, value, origin);
  if (isRecord(value.agentproc)) return fromHub(source, value, origin, options);
  return fromAgentprocFields({ source, value, base: [] }, origin, options);
}

/** The `terminal` block of a nanobot configuration. */
function fromNanobotFile(
  source: SourceDocument,
  value: Record<string, unknown>,
  origin: Origin,
): Checked<Profile> {
  const fields = { source, value, base: [], foreign: true };
  const checked = checkFields(fields, nanobotSchema);
  if (!checked.ok) return checked;
  if (checked.value.terminal.enabled === false) {
    const sentence = 'This is false: nanobot would not start the agent. Set it to true.';
    return bad(problemAt(fields, ['terminal', 'enabled'], sentence));
  }
  const { warnings } = checked;
  const profile = fromNanobot(checked.value, origin);
  return good(warnings === undefined ? profile : { ...profile, warnings });
}

/**
 * Fields that may be AgentProc's own. `executor` names a part of its SDK that does the same as `command`, and came with
 * wire 0.4.
 */
function fromAgentprocFields(fields: Fields, origin: Origin, options: ReadOptions): Checked<Profile> {
  const { value } = fields;
  if (!isRecord(value) || value.dialect !== undefined || value.executor === undefined)
    return profileFrom(fields, origin, options.dialect);
  const { executor: _, ...others } = value;
  return profileFrom({ ...fields, value: others }, origin, options.dialect ?? 'agentproc/v4');
}

/** A profile from AgentProc's hub: the fields stand below `agentproc:`, and the agent works in the user's directory. */
function fromHub(
  source: SourceDocument,
  file: Record<string, unknown>,
  origin: Origin,
  options: ReadOptions,
): Checked<Profile> {
  const name = typeof file.name === 'string' ? file.name : origin.name;
  const workspace = options.workspace ?? origin.directory;
  const fields = { source, value: file.agentproc, base: ['agentproc'], foreign: true };
  return fromAgentprocFields(fields, { ...origin, name, workspace }, options);
}

function unwrap<T>(checked: Checked<T>): T {
  if (checked.ok) return checked.value;
  throw new ProfileError(checked.problems);
}

function nameOf(file: string): string {
  const name = basename(file).replace(/\.(ya?ml|json)$/i, '');
  return name === 'config' || name === 'profile' ? basename(dirname(file)) : name;
}
