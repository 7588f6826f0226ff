import type { Event, OpenAgent } from '@plugboard/host';
import { dialects } from '@plugboard/protocol';
import { type Entry, errandOf } from './entry.ts';
import type { Roster } from './roster.ts';
import { isUnderWay } from './under-way.ts';

/**
 * Keeps track of whether an agent has background work, by what it says. A call of a lasting tool counts as work until a list
 * of tasks or a successful end says otherwise: an agent that dies in between is opened again and asked. That all work is
 * over is noted when nobody uses the agent, since its outcome may still have to be told in a turn of its own.
 */
export function noteDoings(roster: Roster, entry: Entry, event: Event): void {
  switch (event.type) {
    case 'ready':
      entry.doing = undefined;
      return;
    case 'tool-call':
      if (setsGoing(entry.agent, event.name)) begin(roster, entry, 'perhaps');
      return;
    case 'tasks':
      if (isUnderWay(event)) begin(roster, entry, 'something');
      else entry.doing = 'nothing';
      if (entry.users === 0) concludeDoings(roster, entry);
      return;
    case 'end':
      // It tells before the end of a turn what the turn has set going.
      if (event.outcome === 'success' && entry.doing === 'perhaps') entry.doing = 'nothing';
  }
}

function setsGoing({ dialect }: OpenAgent, tool: string): boolean {
  const { host } = dialects[dialect];
  return host.resident && host.lastingTools.has(tool);
}

function begin({ book, waking }: Roster, entry: Entry, doing: 'perhaps' | 'something'): void {
  if (entry.doing !== 'something' || doing === 'something') entry.doing = doing;
  const errand = errandOf(entry);
  book.note(errand, true, entry.config.share);
  // What it has said last may be read when it is dead already.
  if (entry.life === undefined) waking.fell(errand, 0);
}

/** Nobody uses it: if it has nothing to do, that is noted, unless it is at a turn of its own. */
export function concludeDoings({ entries, book }: Roster, entry: Entry): void {
  if (entry.doing !== 'nothing' || entries.get(entry.key) !== entry || entry.agent.resident?.busy) return;
  book.note(errandOf(entry), false, entry.config.share);
}
