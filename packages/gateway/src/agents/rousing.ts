import type { Errand } from '@plugboard/store';
import { isResident, keyOf } from './entry.ts';
import { endEntry, entryFor, type Roster } from './roster.ts';

/** Begins the process of an agent that has something to do. False when there is none to wait for. */
export function rouse(roster: Roster, errand: Errand): boolean {
  const config = roster.agents.get(errand.agent);
  // One that was taken out of the configuration may come back: what it has to do stays noted.
  if (config === undefined || !roster.book.has(errand)) return false;
  if (!isResident(config)) {
    roster.book.clear(errand.sessionId);
    return false;
  }
  const entry = entryFor(roster, config, errand.sessionId);
  if (entry.life !== undefined) return false;
  entry.parking?.clear();
  entry.agent.startAhead?.();
  return entry.life !== undefined;
}

/** Called when a roused agent has told no tasks: if it is up, it has no work; if it is not, that counts as a failed start. */
export function onSilent(roster: Roster, errand: Errand): void {
  const config = roster.agents.get(errand.agent);
  const entry = config === undefined ? undefined : roster.entries.get(keyOf(config, errand.sessionId));
  if (entry === undefined) return;
  const isUp = entry.life?.ready === true;
  if (isUp) roster.book.note(errand, false, entry.config.share);
  if (entry.users === 0 && !entry.agent.resident?.busy) void endEntry(roster, entry);
  if (!isUp) roster.waking.fell(errand, 0);
}
