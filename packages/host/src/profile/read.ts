import { homedir } from 'node:os';
import { basename, dirname, resolve } from 'node:path';
import { checkFields, isRecord } from './check.ts';
import { bad, type Checked, good } from './checked.ts';
import { parseSource, type SourceDocument } from './document.ts';
import { ProfileError } from './error.ts';
import { readSource } from './file.ts';
import { profileFrom } from './inline.ts';
import type { ReadOptions } from './load.ts';
import type { Profile } from './profile.ts';
import { nanobotSchema } from './schema.ts';
import { fromNanobot, type Origin } from './settings.ts';

/** Reads and checks a profile file. */
export async function readProfileFile(path: string, options: ReadOptions = {}): Promise<Profile> {
  const file = resolve(path);
  const directory = dirname(file);
  const origin = { file, directory, workspace: directory, name: nameOf(file), home: homedir() };
  const source = unwrap(await readSource(path, 'profile'));
  return unwrap(profileIn(source, origin, options));
}

/** The same, for text that is already at hand; `path` is what errors call it. */
export function parseProfile(path: string, text: string, origin: Origin, options: ReadOptions = {}): Profile {
  return unwrap(profileIn(unwrap(parseSource(path, text)), origin, options));
}

function profileIn(source: SourceDocument, origin: Origin, options: ReadOptions): Checked<Profile> {
  const { value } = source;
  if (!isRecord(value)) return bad(`${source.file}: a profile is a map of fields; this file is not one.`);
  if (isRecord(value.terminal)) {
    const checked = checkFields({ source, value, base: [] }, nanobotSchema);
    return checked.ok ? good(fromNanobot(checked.value, origin)) : checked;
  }
  if (isRecord(value.agentproc)) return fromHub(source, value, origin, options);
  return profileFrom({ source, value, base: [] }, origin, options.dialect);
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
  const fields = { source, value: file.agentproc, base: ['agentproc'] };
  return profileFrom(fields, { ...origin, name, workspace }, options.dialect);
}

function unwrap<T>(checked: Checked<T>): T {
  if (checked.ok) return checked.value;
  throw new ProfileError(checked.problems);
}

function nameOf(file: string): string {
  const name = basename(file).replace(/\.(ya?ml|json)$/i, '');
  return name === 'config' || name === 'profile' ? basename(dirname(file)) : name;
}
