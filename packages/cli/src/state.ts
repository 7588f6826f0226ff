import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileMemory, type SessionMemory } from '@plugboard/host';

/** The directory for persistent state: `PLUGBOARD_HOME`, or else `plugboard` in the XDG state directory. */
export function stateDirectory(): string {
  const base = process.env.PLUGBOARD_HOME;
  if (base !== undefined && base !== '') return base;
  const state = process.env.XDG_STATE_HOME;
  return join(state?.startsWith('/') ? state : join(homedir(), '.local', 'state'), 'plugboard');
}

/** The agents' own session ids, kept from one command to the next. */
export function sessionMemory(): SessionMemory {
  return fileMemory(join(stateDirectory(), 'sessions'));
}
