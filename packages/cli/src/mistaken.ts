import { statSync } from 'node:fs';
import { type Profile, ProfileError, readProfile } from '@plugboard/host';
import { listUnenforcedLimits } from '@plugboard/process';
import { CommandFailure } from './failure.ts';
import type { CommandLine } from './program.ts';
import { quoted } from './shell-word.ts';

/** What a gateway's configuration says, and no profile. */
const OF_A_GATEWAY = ['agents', 'default_agent', 'server', 'store', 'channels', 'limits'];

/** What every profile has in one form or another. */
const OF_A_PROFILE = ['command', 'dialect', 'agentproc', 'terminal'];

/** Reads a profile. A gateway's configuration in its place is known for what it is. */
export async function profileIn(file: string, options: Parameters<typeof readProfile>[1]): Promise<Profile> {
  try {
    const profile = await readProfile(file, options);
    const warnings = [...(profile.warnings ?? []), ...listUnenforcedLimits(profile.limits ?? {})];
    for (const warning of warnings) process.stderr.write(`plugboard: ${warning}\n`);
    return profile;
  } catch (error) {
    if (!(error instanceof ProfileError) || !(await isConfiguration(file))) throw error;
    throw new CommandFailure(
      `${file} looks like the configuration of a gateway, not like the profile of one agent. ` +
        `plugboard up -c ${quoted(file)} takes it, and plugboard chat --gateway talks to its agents.`,
    );
  }
}

/** Read once more, and only after a failure: good profiles do not pay for it. */
async function isConfiguration(file: string): Promise<boolean> {
  const { isRecord, readSource } = await import('@plugboard/host/profile');
  const source = await readSource(file, 'profile');
  const value = source.ok ? source.value.value : undefined;
  if (!isRecord(value)) return false;
  const has = (field: string): boolean => Object.hasOwn(value, field);
  return OF_A_GATEWAY.some(has) && !OF_A_PROFILE.some(has);
}

/** Ends a command that names two agents. A word that is no file was meant to be said to the one after `--`. */
export function refuseBoth(word: string, { own }: CommandLine, sentence: string): never {
  const isFile = statSync(word, { throwIfNoEntry: false }) !== undefined;
  if (isFile || own[0] !== 'run') throw new CommandFailure(sentence);
  throw new CommandFailure(
    `${quoted(word)} is not the name of a file. A message goes behind -m, in quotes if it has spaces: -m ${quoted(word)}`,
  );
}
