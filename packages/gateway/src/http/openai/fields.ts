import { z } from 'zod';

/** Fields of both APIs. Unused fields are still validated. */

const NO_TOOLS = 'An agent has tools of its own and cannot be given others.';
const NO_JSON = 'Agents answer in text: a JSON format cannot be promised. Ask for JSON in words.';
const NO_LOGPROBS = 'Agents give no log probabilities.';
const TEXT_ONLY = 'Agents answer in text.';
const NO_STATE = 'Only previous_response_id and X-Plugboard-Session continue a conversation here.';

export const ignored = {
  number: z.number().nullish(),
  boolean: z.boolean().nullish(),
  text: z.string().nullish(),
  object: z.looseObject({}).nullish(),
} as const;

/** Fields about sampling and storage, which the agent decides itself. */
export const ignoredFields = {
  temperature: ignored.number,
  top_p: ignored.number,
  parallel_tool_calls: ignored.boolean,
  service_tier: ignored.text,
  store: ignored.boolean,
  user: ignored.text,
  safety_identifier: ignored.text,
  prompt_cache_key: ignored.text,
  prompt_cache_options: ignored.object,
  prompt_cache_retention: ignored.text,
} as const;

/** The only supported answer format is `text`. */
const textFormat = z.object({ type: z.literal('text', NO_JSON) });

const noTools = z.array(z.unknown()).max(0, NO_TOOLS).nullish();
const noToolChoice = z.enum(['none', 'auto'], NO_TOOLS).nullish();
const noFormat = z.null(NO_JSON).optional();

/**
 * Refuses fields that would change the answer and are not supported. Both APIs refuse the fields of both, and formats
 * that compatible servers added: a field of the other API would otherwise pass as unknown.
 */
export const refusedFields = {
  tools: noTools,
  tool_choice: noToolChoice,
  functions: noTools,
  function_call: noToolChoice,
  web_search_options: z.null(NO_TOOLS).optional(),
  n: z.literal(1, 'An agent gives one answer: n can only be 1.').nullish(),
  logprobs: z.literal(false, NO_LOGPROBS).nullish(),
  top_logprobs: z.literal(0, NO_LOGPROBS).nullish(),
  modalities: z.array(z.literal('text', TEXT_ONLY)).nullish(),
  audio: z.null(TEXT_ONLY).optional(),
  response_format: textFormat.nullish(),
  text: z.object({ format: textFormat.nullish(), verbosity: ignored.text }).nullish(),
  grammar: noFormat,
  guided_choice: noFormat,
  guided_grammar: noFormat,
  guided_json: noFormat,
  guided_regex: noFormat,
  json_schema: noFormat,
  structured_outputs: noFormat,
  background: z.literal(false, 'Answers are not made in the background.').nullish(),
  conversation: z.null(NO_STATE).optional(),
  prompt: z.null('There are no stored prompts here.').optional(),
} as const;

export const model = z.string().min(1).max(200).describe('The name of an agent.');

/** Returned unchanged; only `session` has a meaning here. */
export const metadata = z.record(z.string(), z.unknown()).nullish();

/** `metadata` as the API describes it, which `server.openai_strict` insists on. */
export const strictMetadata = z.record(z.string(), z.string().max(512)).nullish();

/** Most messages in one request. */
export const MOST_MESSAGES = 2_048;
