import type { ReadOptions } from './options.ts';
import type { Profile } from './profile.ts';

/**
 * Reads a profile: ours, an AgentProc profile (flat, or below a key `agentproc`), or the `terminal` block of a nanobot
 * `config.json`. Rejects with a `ProfileError` when it cannot be used. The schema checker is imported only here,
 * because starting an agent from a command must not wait for it.
 */
export async function readProfile(path: string, options: ReadOptions = {}): Promise<Profile> {
  const { readProfileFile } = await import('./read.ts');
  return readProfileFile(path, options);
}

/**
 * Makes a profile from the fields of a profile file. `name` is its name in errors and to hosts; `directory` is the
 * workspace unless a field sets another. Rejects with a `ProfileError` when the fields cannot be used.
 */
export async function makeProfile(
  fields: object,
  { name, directory }: { readonly name: string; readonly directory: string },
): Promise<Profile> {
  const { profileOfFields } = await import('./make.ts');
  return profileOfFields(fields, name, directory);
}
