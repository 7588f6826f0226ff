import { z } from 'zod';
import { ignored, ignoredFields, MOST_MESSAGES, metadata, model, refusedFields } from '../fields.ts';

const text = z.object({
  type: z.literal('text'),
  text: z.string(),
  prompt_cache_breakpoint: ignored.object,
});

const image = z.object({
  type: z.literal('image_url'),
  image_url: z.object({ url: z.string().min(1), detail: ignored.text }),
  prompt_cache_breakpoint: ignored.object,
});

const audio = z.object({
  type: z.literal('input_audio'),
  input_audio: z.object({ data: z.string(), format: z.enum(['wav', 'mp3']) }),
  prompt_cache_breakpoint: ignored.object,
});

const file = z.object({
  type: z.literal('file'),
  file: z.object({
    file_data: z.string('Send the file itself, as file_data: none are kept here to be named.'),
    filename: z.string().max(1_000).optional(),
  }),
  prompt_cache_breakpoint: ignored.object,
});

const texts = z.union([z.string(), z.array(text)], 'It must be a string or a list of text parts.');

const refused = z.object({ type: z.literal('refusal'), refusal: z.string() });

const message = z.discriminatedUnion('role', [
  z.object({ role: z.enum(['system', 'developer']), content: texts, name: ignored.text }),
  z.object({
    role: z.literal('user'),
    content: z.union(
      [z.string(), z.array(z.discriminatedUnion('type', [text, image, audio, file]))],
      'It must be a string or a list of parts.',
    ),
    name: ignored.text,
  }),
  // Assistant messages are loose: clients send earlier answers back with all their fields.
  z.looseObject({
    role: z.literal('assistant'),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [text, refused]))]).nullish(),
  }),
  z.object({ role: z.literal('tool'), content: texts, tool_call_id: z.string() }),
  z.object({ role: z.literal('function'), content: z.string().nullable(), name: z.string() }),
]);

/** Body of `/v1/chat/completions`. */
export const chatBody = z.object({
  model,
  messages: z.array(message).min(1).max(MOST_MESSAGES),
  stream: z.boolean().nullish(),
  stream_options: z
    .object({ include_usage: ignored.boolean, include_obfuscation: ignored.boolean })
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
  instructions: z.null('Say it in a message of the system: instructions belong to /v1/responses.').optional(),
  previous_response_id: z.null('A response is continued by /v1/responses.').optional(),
});

export type ChatMessage = z.infer<typeof chatBody>['messages'][number];
