import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { reasonOf } from '@plugboard/protocol';
import { keepSecret } from '../channels/keep-secret.ts';
import { CommandFailure } from '../failure.ts';
import type { Place } from '../gateway/place.ts';
import { reasonFor } from '../system-problem.ts';
import { type Converted, convertNanobot } from './convert.ts';
import { isFields } from './convert-channels.ts';

/** A nanobot configuration in the form of ours. */
export interface TakenOver {
  /** Text of a configuration file. */
  readonly text: string;
  readonly notes: readonly string[];
}

/**
 * Reads a nanobot configuration and writes it as ours. Its keys go into files of the data directory, each readable by its
 * owner alone; `${NAME}` in it stays a reference.
 */
export async function takeOverNanobot(path: string, place: Place): Promise<TakenOver> {
  const file = resolve(path);
  const { addChannelTo, channelKinds } = await import('@plugboard/gateway');
  const converted = convertNanobot(readNanobot(file), new Set(channelKinds.keys()));
  let text = `${HEAD}agents:\n  nanobot:\n    profile: ${JSON.stringify(file)}\n`;
  for (const { name, fields, secrets } of converted.channels) {
    const placed = Object.entries(secrets).map(
      ([field, value]) => [field, placeSecret(place, name, field, value)] as const,
    );
    const env = Object.values(secrets).flatMap((value) => variableIn(value) ?? []);
    text = addChannelTo(text, { name, fields: { ...fields, ...Object.fromEntries(placed) }, env });
  }
  return { text, notes: converted.notes };
}

/** The `terminal` block is not copied: the agent names the file, so that the block stays in one place. */
const HEAD = '# Made from a nanobot configuration, whose terminal block stays where it is.\n';

function readNanobot(file: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const why = error instanceof SyntaxError ? `it is not JSON: ${reasonOf(error)}` : reasonFor(error);
    throw new CommandFailure(`${file} cannot be read: ${why}`);
  }
  if (!isFields(value))
    throw new CommandFailure(`${file} is no nanobot configuration: it is no map of fields.`);
  if (!isFields(value.terminal))
    throw new CommandFailure(`${file} has no terminal block, which says how nanobot starts the agent.`);
  return value;
}

/** A secret that is a whole reference stays one; any other is kept in a file. */
function placeSecret({ secrets }: Place, channel: string, field: string, value: string): unknown {
  if (variableIn(value) !== undefined) return value;
  return { file: keepSecret(secrets, `nanobot-${channel}-${field}`, value) };
}

function variableIn(value: string): string | undefined {
  return /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(value)?.[1];
}

/** The notes of a conversion, one line each. */
export function tellNotes({ notes }: Pick<Converted, 'notes'>): void {
  for (const note of notes) process.stderr.write(`note: ${note}\n`);
}
