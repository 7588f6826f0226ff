import type { Profile } from './profile.ts';

/**
 * Reads a profile: ours, an AgentProc profile as it is (flat, or below a key `agentproc`), or the `terminal` block of a
 * nanobot `config.json`. Rejects with a ProfileError when it cannot be used. What it needs to check one is loaded only
 * now: starting an agent from a command must not wait for it.
 */
export async function readProfile(path: string): Promise<Profile> {
  const { readProfileFile } = await import('./read.ts');
  return readProfileFile(path);
}
