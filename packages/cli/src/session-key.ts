import { mentionsSession, type Profile } from '@plugboard/host';
import { dialects } from '@plugboard/protocol';
import { CommandFailure } from './failure.ts';

/** Ends the command when a conversation is asked for that has no name. */
export function demandSessionKey(session: string | undefined): void {
  if (session?.trim() === '') throw new CommandFailure('--session: give the conversation a name.');
}

/** What to tell whoever names a conversation to an agent that is given no names; undefined when the name is of use. */
export function sessionRemark(profile: Profile, session: string | undefined): string | undefined {
  const { dialect } = profile;
  if (session === undefined || !dialects[dialect].host.resident || mentionsSession(profile)) return undefined;
  return `--session ${session} changes nothing: an agent that speaks ${dialect} keeps its own conversation. Put {session} into its command, such as --db {session}.db, so that the command says which.`;
}
