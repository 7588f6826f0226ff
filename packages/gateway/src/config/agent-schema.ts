import { z } from 'zod';
import { oneOf, text, wholeBetween } from './kinds.ts';
import { profileSchemas } from './reader.ts';
import { seconds } from './schema.ts';

/** Fields of an agent beside those of its profile. */
export const agentFields = z.strictObject({
  description: text().optional().describe('What the agent is for, as people see it.'),
  share: z
    .boolean()
    .default(false)
    .describe('Resident agents: one process for all sessions rather than one for each.'),
  park_after_secs: seconds
    .default(300)
    .describe(
      'Resident agents: seconds of idleness after which the process ends until the next message; 0 is never.',
    ),
  max_running: wholeBetween(1, 10_000).optional().describe('Turns of this agent at a time.'),
  on_crash: oneOf(['fail', 'retry'])
    .default('fail')
    .describe('What becomes of a turn that a crash of the gateway interrupted.'),
});

/** The demo agent of the package. */
export const demoFields = z.strictObject({
  demo: z
    .literal(true, 'Expected true; leave the agent out to do without it.')
    .describe('The agent that comes with plugboard.'),
});

/** An agent whose profile is a file. */
export const profileFileFields = z.strictObject({
  profile: text().min(1).describe('A profile file of any kind, relative to this file.'),
  prewarm: profileSchemas.nib.shape.prewarm,
});

/** Union of all forms of an agent, for `configSchema`. */
export function anyAgent(): z.ZodType {
  const own = agentFields.shape;
  const [first, ...others] = [demoFields, profileFileFields, ...Object.values(profileSchemas)].map(
    ({ shape }) => z.strictObject({ ...shape, ...own }),
  );
  return first === undefined ? z.never() : z.union([first, ...others]);
}

/** Names of the fields of profiles. */
export function profileFieldNames(): ReadonlySet<string> {
  return new Set(Object.values(profileSchemas).flatMap(({ shape }) => Object.keys(shape)));
}
