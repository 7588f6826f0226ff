import { z } from 'zod';
import { channelKinds } from '../channels/kinds.ts';
import { numberBetween, oneOf, text, wholeBetween } from './kinds.ts';

const ids = z.array(z.union([text(), z.number().transform(String)], { error: 'Expected an id.' }));

/** Fields that every channel of a platform has. */
export const platformFields = z.strictObject({
  kind: text()
    .refine((name) => channelKinds.has(name), 'There is no such kind of channel.')
    .optional()
    .describe('The platform; the name of the channel when absent.'),
  enabled: z.boolean().default(true).describe('Whether the channel is started.'),
  allow: ids
    .default([])
    .describe(
      'Ids of people who may talk; "*" is everybody. Nobody but owners and paired people when empty.',
    ),
  owners: ids
    .default([])
    .describe(
      'Ids of people who may talk, answer questions of agents, and let others in; they have no budget.',
    ),
  pairing: z.boolean().default(true).describe('Give strangers a code by which the operator can let them in.'),
  groups: oneOf(['mention', 'all', 'off'])
    .default('mention')
    .describe('In groups, answer messages that address the bot, all messages, or none.'),
  sessions: oneOf(['thread', 'group', 'person'])
    .default('thread')
    .describe('In groups, one session for each thread, for the whole group, or for each person.'),
  agent: text().optional().describe('The agent of new sessions; the default agent when absent.'),
  agents: z
    .array(text())
    .optional()
    .describe(
      'Agents that people may choose with /agent; with `agent`, that one alone when absent, else all.',
    ),
  progress: oneOf(['message', 'edit', 'off'])
    .default('message')
    .describe(
      'Show what an agent says of its progress in messages of its own, in the growing answer, or nowhere.',
    ),
  turns_per_day: wholeBetween(1, 1_000_000).optional().describe('Messages of each person and day.'),
  cost_per_day: numberBetween(0, 1_000_000)
    .optional()
    .describe('What the turns of each person may cost a day, where the agent tells it.'),
});

/** Names of channels beside those that are built in. */
export const channelName = text().regex(
  /^[a-z0-9][a-z0-9-]{0,63}$/,
  'A name is 1 to 64 of a-z, 0-9 and -, and does not begin with -.',
);

/** Union of all kinds of channels, for `configSchema`. */
export function anyPlatform(): z.ZodType {
  const [first, ...others] = [...channelKinds.values()].map(({ fields }) =>
    z.strictObject({ ...platformFields.shape, ...fields.shape }),
  );
  return first === undefined ? z.never() : z.union([first, ...others]);
}
