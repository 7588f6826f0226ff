import { codex, type JsonObject } from '@plugboard/protocol';
import { z } from 'zod';
import { splitCommand } from '../command.ts';
import { commonSettings, createProfile, defined, type Origin } from '../create-profile.ts';
import { seconds } from '../fields.ts';
import type { Profile } from '../profile.ts';
import { codexFields, codexSettings } from './codex-fields.ts';
import { mcpServer } from './mcp-server.ts';

const word = z.string().min(1);

const codexSchema = z.strictObject({
  dialect: z.literal('codex').optional().describe('The wire protocol that the agent speaks.'),
  ...codexFields,
  approvals_reviewer: z
    .enum(['user', 'auto_review'])
    .optional()
    .describe('Who decides what it asks: people (user), or a model of its own (auto_review).'),
  mode: z.enum(['default', 'plan']).optional().describe('The mode of a new thread.'),
  base_instructions: word.optional().describe('Replaces its instructions.'),
  mcp_servers: z.record(word, mcpServer).optional().describe('MCP servers of every thread, by name.'),
  continue: z
    .boolean()
    .optional()
    .describe('A new conversation goes on with the newest thread of the directory.'),
  fork: z.boolean().optional().describe('With resume or continue: goes on in a copy.'),
  share: z.boolean().optional().describe('Have several threads in one process.'),
  start_timeout_secs: seconds
    .min(1)
    .optional()
    .describe('How many seconds the agent has until it is ready, and then until a thread is open.'),
});

function fromCodex(fields: z.infer<typeof codexSchema>, origin: Origin): Profile {
  const settings = defined(
    {
      ...codex.defaults,
      ...commonSettings(fields, splitCommand(fields), codex.defaults, origin),
      ...codexSettings(fields),
      approvalsReviewer: fields.approvals_reviewer,
      mode: fields.mode,
      baseInstructions: fields.base_instructions,
      mcpServers: fields.mcp_servers as Readonly<Record<string, JsonObject>> | undefined,
      continue: fields.continue,
      fork: fields.fork,
      share: fields.share,
      startTimeoutSecs: fields.start_timeout_secs,
    },
    codex.defaults,
  );
  return createProfile('codex', settings, fields, origin, 'base');
}

export const codexProfile = { schema: codexSchema, make: fromCodex } as const;
