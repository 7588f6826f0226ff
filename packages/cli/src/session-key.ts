import { mentionsSession, type Profile } from '@plugboard/host';
import { dialects } from '@plugboard/protocol';
import { CommandFailure } from './failure.ts';

/** Ends the command when a conversation is asked for that has no name. */
export function demandSessionKey(session: string | undefined): void {
  if (session?.trim() === '') throw new CommandFailure('--session: give the conversation a name.');
}

/**
 * The remark when `--session` has no effect, since the dialect of `profile` does not pass a session; otherwise
 * undefined.
 */
export function sessionRemark(profile: Profile, session: string | undefined): string | undefined {
  const { dialect } = profile;
  const { host, capabilities } = dialects[dialect];
  const keepsItsOwn = host.process === 'per-session' && capabilities.session === 'none';
  if (session === undefined || !keepsItsOwn || mentionsSession(profile)) return undefined;
  return `--session ${session} changes nothing: an agent that speaks ${dialect} keeps its own conversation. Put {session} into its command, such as --db {session}.db, so that the command says which.`;
}
