import { z } from 'zod';

/** Fields that both APIs have. What is taken and left unused is checked for its type all the same. */

const NO_TOOLS = 'An agent has tools of its own and cannot be given others.';

export const ignored = {
  number: z.number().nullish(),
  boolean: z.boolean().nullish(),
  text: z.string().nullish(),
  object: z.looseObject({}).nullish(),
} as const;

/** About how an answer is found, not what is asked: agents decide that for themselves. */
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

/** What would change the answer, and cannot be had. */
export const refusedFields = {
  tools: z.array(z.unknown()).max(0, NO_TOOLS).nullish(),
  tool_choice: z.enum(['none', 'auto'], NO_TOOLS).nullish(),
  top_logprobs: z.literal(0, 'Agents give no log probabilities.').nullish(),
} as const;

export const model = z.string().min(1).max(200).describe('The name of an agent.');

export const metadata = z.record(z.string(), z.string().max(512)).nullish();

/** A format of the answer; agents answer in text. */
export const textFormat = z.object({
  type: z.literal('text', 'Agents answer in text: a JSON format cannot be promised. Ask for JSON in words.'),
});

/** The most that was said before, in one request. */
export const MOST_MESSAGES = 2_048;
