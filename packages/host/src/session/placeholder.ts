import { createHash } from 'node:crypto';
import type { Failure } from '@plugboard/protocol';
import type { Profile } from '../profile/profile.ts';

const SESSION = '{session}';

/** Keys that are valid file names on every system and cannot be read as options of a command. */
const FILE_NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

/** The session that a process is started for. */
export interface SessionOfProcess {
  /** The profile with `{session}` filled in, as far as the session is known. */
  profile(): Profile;
  /** Takes the key of a turn. Returns a `Failure` when the process belongs to another session. */
  take(key: string): Failure | undefined;
  /** Whether a process can be started: `{session}` is known or not needed. */
  isKnown(): boolean;
}

/** Fills `{session}` with the key of the first turn. With `fills` false, or without `{session}`, every key is taken. */
export function createSessionOfProcess(profile: Profile, fills: boolean): SessionOfProcess {
  const needed = fills && mentionsSession(profile);
  let taken: string | undefined;
  return {
    profile: () => (needed && taken !== undefined ? fillSession(profile, fileNameOf(taken)) : profile),
    isKnown: () => !needed || taken !== undefined,
    take(key) {
      if (!needed) return undefined;
      taken ??= key;
      return taken === key ? undefined : otherSession(profile.name, taken, key);
    },
  };
}

/** Whether `{session}` stands in the command or a variable. */
export function mentionsSession({ settings: { command, env } }: Profile): boolean {
  const tokens = 'argv' in command ? command.argv : [command.shell];
  return [...tokens, ...Object.values(env)].some((token) => token.includes(SESSION));
}

/**
 * A profile with `{session}` in its command and its variables replaced by a name, which must be safe as a file name.
 */
export function fillSession(profile: Profile, name: string): Profile {
  const fill = (text: string): string => text.replaceAll(SESSION, () => name);
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

/**
 * A session key as a file name: unchanged where it is one, else `~` and its SHA-256, which no unchanged key can equal.
 */
function fileNameOf(key: string): string {
  return FILE_NAME.test(key) ? key : `~${createHash('sha256').update(key).digest('hex')}`;
}

function otherSession(name: string, taken: string, key: string): Failure {
  const message = `The process of ${name} was started for the session ${taken} and cannot be given a turn of ${key}: open the agent once for each session.`;
  return { code: 'other-session', message };
}
