import { z } from 'zod';
import {
  ignored,
  ignoredFields,
  MOST_MESSAGES,
  metadata,
  model,
  refusedFields,
  textFormat,
} from '../fields.ts';

const NO_STATE = 'Only previous_response_id and X-Plugboard-Session continue a conversation here.';
const SEND_FILE = 'Send the file itself, or its address: none are kept here to be named.';

const content = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('input_text'),
    text: z.string(),
    prompt_cache_breakpoint: ignored.object,
  }),
  z.looseObject({ type: z.literal('output_text'), text: z.string() }),
  z.looseObject({ type: z.literal('refusal'), refusal: z.string() }),
  z.strictObject({
    type: z.literal('input_image'),
    image_url: z.string(SEND_FILE).min(1),
    file_id: z.null(SEND_FILE).optional(),
    detail: ignored.text,
    prompt_cache_breakpoint: ignored.object,
  }),
  z.strictObject({
    type: z.literal('input_file'),
    file_data: z.string().min(1).optional(),
    file_url: z.string().min(1).optional(),
    filename: z.string().max(1_000).optional(),
    file_id: z.null(SEND_FILE).optional(),
    detail: ignored.text,
    prompt_cache_breakpoint: ignored.object,
  }),
  z.strictObject({
    type: z.literal('input_audio'),
    input_audio: z.strictObject({ data: z.string(), format: z.enum(['wav', 'mp3']) }),
  }),
]);

const message = z.strictObject({
  type: z.literal('message', 'An agent takes messages; its tools are its own.').optional(),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: z.union([z.string(), z.array(content)], 'It must be a string or a list of parts.'),
  id: ignored.text,
  status: ignored.text,
  phase: ignored.text,
});

/** Clients send back the whole output of an earlier answer, thinking included. */
const reasoning = z.looseObject({ type: z.literal('reasoning') });

/** What `/v1/responses` takes. */
export const responseBody = z.strictObject({
  model,
  input: z.union(
    [
      z.string(),
      z
        .array(z.union([message, reasoning]))
        .min(1)
        .max(MOST_MESSAGES),
    ],
    'It must be a string or a list of messages.',
  ),
  instructions: z.string().nullish(),
  previous_response_id: z.string().max(200).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.strictObject({ include_obfuscation: ignored.boolean }).nullish(),
  metadata,
  ...ignoredFields,
  max_output_tokens: ignored.number,
  max_tool_calls: ignored.number,
  include: z.array(z.string()).nullish(),
  reasoning: ignored.object,
  truncation: ignored.text,
  ...refusedFields,
  text: z.strictObject({ format: textFormat.optional(), verbosity: ignored.text }).nullish(),
  background: z.literal(false, 'Answers are not made in the background.').nullish(),
  conversation: z.null(NO_STATE).optional(),
  prompt: z.null('There are no stored prompts here.').optional(),
});

export type ResponseBody = z.infer<typeof responseBody>;
type Item = Exclude<ResponseBody['input'], string>[number];
export type MessageItem = Extract<Item, { role: string }>;
export type ContentPart = Exclude<MessageItem['content'], string>[number];
