import { agentprocV4 } from '@plugboard/protocol';
import { z } from 'zod';
import { wholeCommand } from '../command.ts';
import { commonSettings, createProfile, defined, type Origin } from '../create-profile.ts';
import { allowlist, commandLine, commonFields, streaming } from '../fields.ts';
import type { Profile } from '../profile.ts';

const agentprocV4Schema = z.strictObject({
  dialect: z.literal('agentproc/v4').optional().describe('The wire protocol that the agent speaks.'),
  ...commonFields,
  command: commandLine
    .refine((command) => typeof command !== 'string' || !/\s/.test(command), {
      error:
        'In agentproc/v4 a command is one word, or a list such as [python3, agent.py]; this has white space.',
    })
    .describe('The program: one word, or a list of arguments.'),
  env_allowlist: allowlist,
  streaming,
  permission: z
    .union([z.boolean(), z.enum(['off', 'deny'])], { error: 'Expected "off" or "deny".' })
    .optional()
    .describe(
      'With deny, the agent may ask for permission, and is denied it unless a host in front decides.',
    ),
});

/** A profile for AgentProc wire 0.4, whose `command` is one word. */
function fromAgentprocV4(fields: z.infer<typeof agentprocV4Schema>, origin: Origin): Profile {
  const settings = defined(
    {
      ...agentprocV4.defaults,
      ...commonSettings(fields, wholeCommand(fields), agentprocV4.defaults, origin),
      streaming: fields.streaming,
      permission:
        fields.permission === true ? 'deny' : fields.permission === false ? 'off' : fields.permission,
      envAllowlist: fields.env_allowlist,
    },
    agentprocV4.defaults,
  );
  return createProfile('agentproc/v4', settings, fields, origin, 'base');
}

export const agentprocV4Profile = { schema: agentprocV4Schema, make: fromAgentprocV4 } as const;
