import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { CommandFailure } from '../failure.ts';
import type { Place } from './place.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The name from `--node` or PLUGBOARD_NODE; the default one without both. */
export function nodeNameOf(given: string | undefined, place: Place): string {
  const name = given ?? (process.env.PLUGBOARD_NODE || undefined);
  if (name === undefined) return defaultNodeName(place);
  if (NAME.test(name)) return name;
  throw new CommandFailure(
    `"${name}" cannot name a gateway: 1 to 64 letters, digits, dots, dashes and underscores, and a letter or digit first.`,
  );
}

/** The same at each start: a gateway finds the turns again that it left open. */
export function defaultNodeName({ directory }: Place): string {
  const host = hostname()
    .replaceAll(/[^A-Za-z0-9.-]/g, '-')
    .slice(0, 40);
  const data = createHash('sha256').update(resolve(directory)).digest('hex').slice(0, 6);
  return `${/^[A-Za-z0-9]/.test(host) ? host : `host${host}`}-${data}`;
}
