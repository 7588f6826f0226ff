import { Readable } from 'node:stream';
import { z } from 'zod';
import type { Inbound, Press } from '../channel.ts';

const id = z.string().min(1).max(500);

const file = z.object({
  name: z.string().min(1).max(255),
  type: z.string().max(255).optional(),
  data: z.base64().describe('Base64.'),
});

/** Unknown fields are ignored, so that a program may send more than this version reads. */
const incoming = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message'),
    place: id,
    sender: id,
    senderName: z.string().max(500).optional(),
    text: z.string().max(1_000_000).default(''),
    group: z.object({ place: id, addressed: z.boolean() }).optional(),
    repliesTo: id.optional(),
    files: z.array(file).max(20).optional(),
  }),
  z.object({
    type: z.literal('press'),
    place: id,
    sender: id,
    senderName: z.string().max(500).optional(),
    key: z.string().max(100),
    text: z.string().max(100_000).optional(),
  }),
  z.object({
    type: z.literal('report'),
    id,
    state: z.enum(['sent', 'failed']),
    problem: z.string().max(1_000).default('The platform did not say why.'),
  }),
]);

export type Incoming =
  | { readonly type: 'message'; readonly message: Inbound }
  | { readonly type: 'press'; readonly press: Press }
  | {
      readonly type: 'report';
      readonly id: string;
      readonly state: 'sent' | 'failed';
      readonly problem: string;
    };

/** Reads the body of a request. A sentence where it cannot be read. */
export function readIncoming(body: Uint8Array, messageId: string): Incoming | string {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return 'The body is not JSON in UTF-8.';
  }
  const parsed = incoming.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `The field "${issue?.path.join('.')}" is wrong: ${issue?.message}`;
  }
  const given = parsed.data;
  if (given.type === 'report') return given;
  if (given.type === 'press') {
    const { type, ...press } = given;
    return { type, press: withoutUndefined(press) };
  }
  const { type, files, ...said } = given;
  const kept = files?.map(({ name, type: mime, data }) => ({
    name,
    ...(mime === undefined ? {} : { type: mime }),
    bytes: Readable.from([Buffer.from(data, 'base64')]),
  }));
  const message = { ...said, messageId, ...(kept === undefined ? {} : { files: kept }) };
  return { type, message: withoutUndefined(message) };
}

function withoutUndefined<T extends object>(value: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof T]: Exclude<T[Key], undefined> };
}
