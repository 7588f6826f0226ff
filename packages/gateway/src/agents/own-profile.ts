import type { Profile } from '@plugboard/host';

/** What stands for the session in the command of an agent that has a process for each. */
const SESSION = '{session}';

/**
 * The profile of an agent that belongs to one session: `{session}` in its command and its variables becomes the id of that
 * session, so that each can have a memory of its own. An id is a safe file name.
 */
export function ownProfile(profile: Profile, sessionId: string): Profile {
  const fill = (text: string): string => text.replaceAll(SESSION, sessionId);
  const { command, env } = profile.settings;
  return {
    ...profile,
    settings: {
      ...profile.settings,
      command: 'argv' in command ? { argv: command.argv.map(fill) } : { shell: fill(command.shell) },
      env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)])),
    } as Profile['settings'],
  };
}
