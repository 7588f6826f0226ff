import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { attachmentAt, createTurn, type JsonObject, type Turn } from '@plugboard/protocol';
import { CommandFailure } from './failure.ts';

/** What a person says about a turn on the command line. */
export interface TurnOptions {
  readonly message?: string;
  readonly stdin?: boolean;
  readonly session?: string;
  readonly attach?: readonly string[];
  readonly operation?: string;
  readonly fields?: string;
}

/** Builds the turn; reads stdin when it is to be the message. */
export async function turnFrom(options: TurnOptions): Promise<Turn> {
  const fromStdin = options.stdin === true || options.message === '-';
  if (!fromStdin && options.message === undefined && options.operation === undefined) {
    throw new CommandFailure(
      'Say something to the agent with -m TEXT, or let it come from stdin with --stdin.',
    );
  }
  return createTurn({
    id: randomUUID(),
    text: fromStdin ? await readAll(process.stdin) : (options.message ?? ''),
    attachments: (options.attach ?? []).map(attachment),
    session: { key: options.session ?? 'default' },
    ...operationFrom(options),
  });
}

function attachment(path: string) {
  const full = resolve(path);
  try {
    if (statSync(full).isFile()) return attachmentAt(full);
  } catch {
    // Told below.
  }
  throw new CommandFailure(`--attach ${path}: there is no such file.`);
}

function operationFrom({ operation, fields }: TurnOptions): Partial<Turn> {
  if (operation === undefined) {
    if (fields !== undefined) throw new CommandFailure('--fields belongs to an --operation.');
    return {};
  }
  const { schema, ...rest } = parseFields(fields ?? '{}');
  return {
    operation: { name: operation, fields: rest },
    ...(typeof schema === 'object' && schema !== null && !Array.isArray(schema)
      ? { schema: schema as JsonObject }
      : {}),
  };
}

function parseFields(json: string): JsonObject {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch {
    // Told below.
  }
  throw new CommandFailure(`--fields takes a JSON object, such as '{"paths":["scenes/a.md"]}'.`);
}
