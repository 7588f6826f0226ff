import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import type { Profile } from '@plugboard/host';
import {
  attachmentAt,
  createTurn,
  dialects,
  isObject,
  type JsonObject,
  type Turn,
} from '@plugboard/protocol';
import { CommandFailure } from './failure.ts';
import { demandReadable } from './readable.ts';
import { demandSessionKey } from './session-key.ts';

/** The options of a turn on the command line. */
export interface TurnOptions {
  readonly message?: string;
  readonly stdin?: boolean;
  readonly session?: string;
  readonly attach?: readonly string[];
  readonly operation?: string;
  readonly fields?: string;
}

/** Builds a turn for an agent; reads stdin when it is to be the message. */
export async function turnFrom(options: TurnOptions, profile: Profile): Promise<Turn> {
  const fromStdin = options.stdin === true || options.message === '-';
  if (options.stdin === true && options.message !== undefined && options.message !== '-')
    throw new CommandFailure('The message comes from -m or from --stdin, not from both.');
  demandSessionKey(options.session);
  if (options.operation !== undefined) demandOperations(profile);
  if (!fromStdin && options.message === undefined && options.operation === undefined) {
    throw new CommandFailure(
      'Say something to the agent with -m TEXT, or let it come from stdin with --stdin.',
    );
  }
  return createTurn({
    id: randomUUID(),
    text: fromStdin ? await readAll(process.stdin) : (options.message ?? ''),
    attachments: (options.attach ?? []).map(readAttachment),
    session: { key: options.session ?? 'default' },
    ...operationFrom(options),
  });
}

/** Refuses `--operation` for a dialect without operations, since the agent would never see it. */
function demandOperations({ name, dialect }: Profile): void {
  if (dialects[dialect].capabilities.operations) return;
  throw new CommandFailure(
    `${name} speaks ${dialect}, which has no operations. Say it with -m, or have it put into words: plugboard run --dialect nib --operation … -- plugboard serve --as nib …`,
  );
}

function readAttachment(path: string) {
  demandReadable(path, `--attach ${path}`);
  return attachmentAt(resolve(path));
}

function operationFrom({ operation, fields }: TurnOptions): Partial<Turn> {
  if (operation === undefined) {
    if (fields !== undefined) throw new CommandFailure('--fields belongs to an --operation.');
    return {};
  }
  const { schema, ...rest } = parseFields(fields ?? '{}');
  return {
    operation: { name: operation, fields: rest },
    ...(isObject(schema) ? { schema } : {}),
  };
}

function parseFields(json: string): JsonObject {
  try {
    const value: unknown = JSON.parse(json);
    if (isObject(value)) return value;
  } catch {
    // Told below.
  }
  throw new CommandFailure(`--fields takes a JSON object, such as '{"paths":["scenes/a.md"]}'.`);
}
