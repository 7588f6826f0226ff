import { homedir } from 'node:os';
import { join } from 'node:path';
import { ProfileError } from './error.ts';
import { profileFrom } from './inline.ts';
import type { Profile } from './profile.ts';

/** Checks fields from a program. Problems name the field only, because there is no line. */
export function profileOfFields(fields: object, name: string, directory: string): Profile {
  const source = { file: name, value: fields, place: () => name, keys: () => Object.keys(fields) };
  const origin = { file: join(directory, name), directory, workspace: directory, name, home: homedir() };
  const checked = profileFrom({ source, value: fields, base: [] }, origin);
  if (checked.ok) return checked.value;
  throw new ProfileError(checked.problems);
}
