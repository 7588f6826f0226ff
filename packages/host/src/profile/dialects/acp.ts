import { acp, type JsonObject } from '@plugboard/protocol';
import { z } from 'zod';
import { splitCommand } from '../command.ts';
import { commonSettings, createProfile, defined, type Origin } from '../create-profile.ts';
import { commonFields, seconds } from '../fields.ts';
import type { Profile } from '../profile.ts';
import { mcpServer } from './mcp-server.ts';

const word = z.string().min(1);
const milliseconds = z.int().min(0).max(60_000);

const acpSchema = z.strictObject({
  dialect: z.literal('acp').optional().describe('The wire protocol that the agent speaks.'),
  ...commonFields,
  auth_method: word
    .optional()
    .describe(
      'The login that the host asks for, one of those that the agent offers, such as gemini-api-key.',
    ),
  mode: word.optional().describe('The mode of every session, as the agent calls it.'),
  model: word.optional().describe('The model of every session, as the agent calls it.'),
  options: z
    .record(word, z.union([word, z.boolean()]))
    .optional()
    .describe('Values of further options of the agent, by id. What a person chooses comes first.'),
  mcp_servers: z.record(word, mcpServer).optional().describe('MCP servers of every session, by name.'),
  add_dirs: z
    .array(z.string().startsWith('/', 'Expected an absolute path.'))
    .optional()
    .describe('Further directories that the agent works in.'),
  session_meta: z
    .record(z.string(), z.json())
    .optional()
    .describe('Fields of _meta in the request that opens a session.'),
  resume: word.optional().describe('The session id that a new conversation goes on with.'),
  continue: z
    .boolean()
    .optional()
    .describe('A new conversation goes on with the newest session of the directory.'),
  share: z.boolean().optional().describe('Have several sessions in one process.'),
  start_timeout_secs: seconds
    .min(1)
    .optional()
    .describe('How many seconds the agent has until it is ready, and then until a session is open.'),
  settle_ms: milliseconds
    .optional()
    .describe(
      'Silence after a loaded session before the first message, for agents that go on with the history.',
    ),
  late_ms: milliseconds
    .optional()
    .describe('How long a turn stays open after its end, for agents whose last words come late.'),
});

function fromAcp(fields: z.infer<typeof acpSchema>, origin: Origin): Profile {
  const { mode, model } = fields;
  const settings = defined(
    {
      ...acp.defaults,
      ...commonSettings(fields, splitCommand(fields), acp.defaults, origin),
      authMethod: fields.auth_method,
      options: {
        ...(model === undefined ? {} : { model }),
        ...(mode === undefined ? {} : { mode }),
        ...fields.options,
      },
      mcpServers: fields.mcp_servers as Readonly<Record<string, JsonObject>> | undefined,
      addDirs: fields.add_dirs,
      sessionMeta: fields.session_meta as JsonObject | undefined,
      resume: fields.resume,
      continue: fields.continue,
      share: fields.share,
      startTimeoutSecs: fields.start_timeout_secs,
      settleMs: fields.settle_ms,
      lateMs: fields.late_ms,
    },
    acp.defaults,
  );
  return createProfile('acp', settings, fields, origin, 'base');
}

export const acpProfile = { schema: acpSchema, make: fromAcp } as const;
