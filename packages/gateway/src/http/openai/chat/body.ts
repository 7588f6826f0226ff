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

const text = z.strictObject({
  type: z.literal('text'),
  text: z.string(),
  prompt_cache_breakpoint: ignored.object,
});

const image = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({ url: z.string().min(1), detail: ignored.text }),
  prompt_cache_breakpoint: ignored.object,
});

const audio = z.strictObject({
  type: z.literal('input_audio'),
  input_audio: z.strictObject({ data: z.string(), format: z.enum(['wav', 'mp3']) }),
  prompt_cache_breakpoint: ignored.object,
});

const file = z.strictObject({
  type: z.literal('file'),
  file: z.strictObject({
    file_data: z.string('Send the file itself, as file_data: none are kept here to be named.'),
    filename: z.string().max(1_000).optional(),
  }),
  prompt_cache_breakpoint: ignored.object,
});

const texts = z.union([z.string(), z.array(text)], 'It must be a string or a list of text parts.');

const refused = z.object({ type: z.literal('refusal'), refusal: z.string() });

const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.enum(['system', 'developer']), content: texts, name: ignored.text }),
  z.strictObject({
    role: z.literal('user'),
    content: z.union(
      [z.string(), z.array(z.discriminatedUnion('type', [text, image, audio, file]))],
      'It must be a string or a list of parts.',
    ),
    name: ignored.text,
  }),
  // Clients send back what they were answered, with whatever stood in it.
  z.looseObject({
    role: z.literal('assistant'),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [text, refused]))]).nullish(),
  }),
  z.strictObject({ role: z.literal('tool'), content: texts, tool_call_id: z.string() }),
  z.strictObject({ role: z.literal('function'), content: z.string().nullable(), name: z.string() }),
]);

/** What `/v1/chat/completions` takes. */
export const chatBody = z.strictObject({
  model,
  messages: z.array(message).min(1).max(MOST_MESSAGES),
  stream: z.boolean().nullish(),
  stream_options: z
    .strictObject({ include_usage: ignored.boolean, include_obfuscation: ignored.boolean })
    .nullish(),
  metadata,
  ...ignoredFields,
  max_tokens: ignored.number,
  max_completion_tokens: ignored.number,
  presence_penalty: ignored.number,
  frequency_penalty: ignored.number,
  seed: ignored.number,
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  logit_bias: ignored.object,
  prediction: ignored.object,
  reasoning_effort: ignored.text,
  verbosity: ignored.text,
  ...refusedFields,
  functions: refusedFields.tools,
  function_call: refusedFields.tool_choice,
  n: z.literal(1, 'An agent gives one answer: n can only be 1.').nullish(),
  logprobs: z.literal(false, 'Agents give no log probabilities.').nullish(),
  modalities: z.array(z.literal('text', 'Agents answer in text.')).nullish(),
  audio: z.null('Agents answer in text.').optional(),
  response_format: textFormat.nullish(),
});

export type ChatMessage = z.infer<typeof chatBody>['messages'][number];
