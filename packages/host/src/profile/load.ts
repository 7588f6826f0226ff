import type { DialectName } from '@plugboard/protocol';
import type { Profile } from './profile.ts';

/** What a profile file need not say itself. */
export interface ReadOptions {
  /** The dialect, for files that name none; without it those are AgentProc 0.1. */
  readonly dialect?: DialectName;
  /** Where the agents of AgentProc's hub work: the user's own directory, not that of the profile. */
  readonly workspace?: string;
}

/**
 * Reads a profile: ours, an AgentProc profile as it is (flat, or below a key `agentproc`), or the `terminal` block of a
 * nanobot `config.json`. Rejects with a ProfileError when it cannot be used. What it needs to check one is loaded only
 * now: starting an agent from a command must not wait for it.
 */
export async function readProfile(path: string, options: ReadOptions = {}): Promise<Profile> {
  const { readProfileFile } = await import('./read.ts');
  return readProfileFile(path, options);
}

/**
 * Makes a profile of the fields that a profile file would have. `name` is what errors and hosts call it, `directory` is where
 * the agent works unless a field says otherwise. Rejects with a ProfileError when it cannot be used.
 */
export async function makeProfile(
  fields: object,
  { name, directory }: { readonly name: string; readonly directory: string },
): Promise<Profile> {
  const { profileOfFields } = await import('./make.ts');
  return profileOfFields(fields, name, directory);
}
