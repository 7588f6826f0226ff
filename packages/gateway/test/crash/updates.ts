import type { Update } from './platform.ts';

/** What people say in the sweeps: two places, one of them twice. */
export const UPDATES: readonly Update[] = [
  { id: 1, place: 'hall', text: 'one' },
  { id: 2, place: 'attic', text: 'two' },
  { id: 3, place: 'hall', text: 'three' },
];

/** What people tell the gateway itself to do. */
export const COMMANDS: readonly Update[] = ['/new', '/agent other'].map((text, at) => ({
  id: at + 1,
  place: 'hall',
  text,
}));
