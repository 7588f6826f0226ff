import { agentproc } from '@plugboard/protocol';
import { z } from 'zod';
import { splitCommand } from '../command.ts';
import { commonSettings, createProfile, defined, type Origin } from '../create-profile.ts';
import { allowlist, commonFields, streaming } from '../fields.ts';
import type { Profile } from '../profile.ts';

const agentprocFields = {
  env_allowlist: allowlist,
  stdin: z.enum(['none', 'message']).default('none').describe('What the agent can read on stdin.'),
  max_reply_chars: z.int().optional().describe('Where a reply is cut, in code points; 0 is nowhere.'),
  truncation_suffix: z.string().optional().describe('What is put where a reply was cut.'),
  include_stderr_in_reply: z.boolean().optional().describe('Show stderr in the reply.'),
  send_error_reply: z.boolean().optional().describe('Tell the user that the agent failed.'),
  streaming,
  session_line_prefix: z.string().min(1).optional().describe('What a session line begins with.'),
};

const agentprocSchema = z.strictObject({
  dialect: z.literal('agentproc').optional().describe('The wire protocol that the agent speaks.'),
  ...commonFields,
  ...agentprocFields,
});

/** An AgentProc profile. `splitCommand` splits its command on white space; quotes have no meaning. */
function fromAgentproc(fields: z.infer<typeof agentprocSchema>, origin: Origin): Profile {
  const settings = defined(
    {
      ...agentproc.defaults,
      ...commonSettings(fields, splitCommand(fields), agentproc.defaults, origin),
      stdin: fields.stdin,
      envAllowlist: fields.env_allowlist,
      maxReplyChars: fields.max_reply_chars,
      truncationSuffix: fields.truncation_suffix,
      includeStderrInReply: fields.include_stderr_in_reply,
      sendErrorReply: fields.send_error_reply,
      streaming: fields.streaming,
      sessionLinePrefix: fields.session_line_prefix,
    },
    agentproc.defaults,
  );
  return createProfile('agentproc', settings, fields, origin, 'base');
}

export const agentprocProfile = { schema: agentprocSchema, make: fromAgentproc } as const;
