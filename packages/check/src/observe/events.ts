import type { Ending } from '@plugboard/process';
import {
  createTurn,
  type DialectName,
  dialects,
  type Event,
  type OneShotHost,
  type Settings,
} from '@plugboard/protocol';
import type { SeenLine } from './sight.ts';

/** What our own host side reads out of the lines of a one-shot agent; nothing for a resident one. */
export function eventsOf(name: DialectName, lines: readonly SeenLine[], ending: Ending): Event[] {
  const { host, defaults } = dialects[name];
  if (host.resident) return [];
  const settings = (name === 'terminal' ? { ...defaults, protocol: 'rich' } : defaults) as Settings;
  const reader = host as OneShotHost<Settings, unknown>;
  const state = reader.initial(createTurn({ id: 'check' }), settings);
  const events: Event[] = [];
  for (const { text } of lines) reader.step(state, text, events);
  reader.end(state, ending, events);
  return events;
}
