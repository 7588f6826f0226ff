import { CommandFailure } from './failure.ts';

/** Ends the command when a conversation is asked for that has no name. */
export function demandSessionKey(session: string | undefined): void {
  if (session?.trim() === '') throw new CommandFailure('--session: give the conversation a name.');
}
