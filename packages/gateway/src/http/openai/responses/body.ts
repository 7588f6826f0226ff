import { z } from 'zod';
import { ignored, ignoredFields, MOST_MESSAGES, metadata, model, refusedFields } from '../fields.ts';

const SEND_FILE = 'Send the file itself, or its address: none are kept here to be named.';

const content = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('input_text'),
    text: z.string(),
    prompt_cache_breakpoint: ignored.object,
  }),
  z.looseObject({ type: z.literal('output_text'), text: z.string() }),
  z.looseObject({ type: z.literal('refusal'), refusal: z.string() }),
  z.object({
    type: z.literal('input_image'),
    image_url: z.string(SEND_FILE).min(1),
    file_id: z.null(SEND_FILE).optional(),
    detail: ignored.text,
    prompt_cache_breakpoint: ignored.object,
  }),
  z.object({
    type: z.literal('input_file'),
    file_data: z.string().min(1).optional(),
    file_url: z.string().min(1).optional(),
    filename: z.string().max(1_000).optional(),
    file_id: z.null(SEND_FILE).optional(),
    detail: ignored.text,
    prompt_cache_breakpoint: ignored.object,
  }),
  z.object({
    type: z.literal('input_audio'),
    input_audio: z.object({ data: z.string(), format: z.enum(['wav', 'mp3']) }),
  }),
]);

const message = z.object({
  type: z.literal('message').optional(),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: z.union([z.string(), z.array(content)], 'It must be a string or a list of parts.'),
  id: ignored.text,
  status: ignored.text,
  phase: ignored.text,
});

/** `reasoning` items are accepted and ignored: clients send back the whole earlier output. */
const reasoning = z.looseObject({ type: z.literal('reasoning') });

const itemId = z.string().min(1).max(200);

/** Refers to an item of an earlier answer by an id from `createItemId`. */
const reference = z.object({ type: z.literal('item_reference'), id: itemId });

/** A reference may omit `type` or set it to null. */
const bareReference = z.object({ type: z.null().optional(), id: itemId, role: z.undefined().optional() });

const item = z.union(
  [
    z.discriminatedUnion('type', [message, reasoning, reference], {
      error: ({ code }) =>
        code === 'invalid_union' ? 'An agent takes messages; its tools are its own.' : undefined,
    }),
    bareReference,
  ],
  'It must be a message, or a reference to one.',
);

/** Body of `/v1/responses`. */
export const responseBody = z.object({
  model,
  input: z.union(
    [z.string(), z.array(item).min(1).max(MOST_MESSAGES)],
    'It must be a string or a list of messages.',
  ),
  instructions: z.string().nullish(),
  previous_response_id: z.string().max(200).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_obfuscation: ignored.boolean }).nullish(),
  metadata,
  ...ignoredFields,
  max_output_tokens: ignored.number,
  max_tool_calls: ignored.number,
  include: z.array(z.string()).nullish(),
  reasoning: ignored.object,
  truncation: ignored.text,
  ...refusedFields,
});

export type ResponseBody = z.infer<typeof responseBody>;
export type InputItem = Exclude<ResponseBody['input'], string>[number];
export type MessageItem = z.infer<typeof message>;
export type ContentPart = Exclude<MessageItem['content'], string>[number];
