import { statSync } from 'node:fs';
import { type Profile, ProfileError, readProfile } from '@plugboard/host';
import { listUnenforcedLimits } from '@plugboard/process';
import type { CommandLine } from './command-line.ts';
import { CommandFailure } from './failure.ts';
import { quoteWord } from './shell-word.ts';

/** Keys of a gateway's configuration that no profile has. */
const OF_A_GATEWAY = ['agents', 'default_agent', 'server', 'store', 'channels', 'limits'];

/** Keys of which every profile has at least one. */
const OF_A_PROFILE = ['command', 'dialect', 'agentproc', 'terminal'];

/** Reads a profile; throws a `CommandFailure` with advice when the file is the configuration of a gateway. */
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
        `plugboard up -c ${quoteWord(file)} takes it, and plugboard chat --gateway talks to its agents.`,
    );
  }
}

/** Reads the file again after a failure only, so that valid profiles cost one read. */
async function isConfiguration(file: string): Promise<boolean> {
  const { isRecord, readSource } = await import('@plugboard/host/profile');
  const source = await readSource(file, 'profile');
  const value = source.ok ? source.value.value : undefined;
  if (!isRecord(value)) return false;
  const has = (field: string): boolean => Object.hasOwn(value, field);
  return OF_A_GATEWAY.some(has) && !OF_A_PROFILE.some(has);
}

/** Throws when a command line names two agents. If `word` is not a file, it is probably a message without `-m`. */
export function refuseBoth(word: string, { own }: CommandLine, sentence: string): never {
  const isFile = statSync(word, { throwIfNoEntry: false }) !== undefined;
  if (isFile || own[0] !== 'run') throw new CommandFailure(sentence);
  throw new CommandFailure(
    `${quoteWord(word)} is not the name of a file. A message goes behind -m, in quotes if it has spaces: -m ${quoteWord(word)}`,
  );
}
