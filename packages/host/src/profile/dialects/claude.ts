import { claude } from '@plugboard/protocol';
import { z } from 'zod';
import { splitCommand } from '../command.ts';
import { commonSettings, createProfile, defined, type Origin } from '../create-profile.ts';
import { commandLine, commonFields } from '../fields.ts';
import type { Profile } from '../profile.ts';

const word = z.string().min(1);
const words = z.union([word.transform((one) => [one]), z.array(word)], {
  error: 'Expected text, or a list of texts.',
});

const claudeSchema = z.strictObject({
  dialect: z.literal('claude').optional().describe('The wire protocol that the agent speaks.'),
  ...commonFields,
  command: commandLine
    .default(['claude'])
    .describe('The program: a string, or a list of arguments. The flags of the protocol are added.'),
  model: word.optional().describe('The model, as --model takes it.'),
  fallback_model: word.optional().describe('The model that answers when the first one is overloaded.'),
  effort: word.optional().describe('How hard the model thinks, as --effort takes it.'),
  permission_mode: word
    .optional()
    .describe('The permission mode of a new process: default, acceptEdits, plan, auto, dontAsk.'),
  allowed_tools: words.optional().describe('Tools and rules that are not asked about, such as Bash(git *).'),
  disallowed_tools: words.optional().describe('Tools and rules that are refused.'),
  add_dirs: words.optional().describe('Further directories that its tools may use.'),
  mcp_config: words.optional().describe('Files with MCP servers, as --mcp-config takes them.'),
  strict_mcp_config: z
    .boolean()
    .optional()
    .describe('Use the servers of mcp_config alone, and none of the settings of the user.'),
  system_prompt: word.optional().describe('Replaces the system prompt.'),
  append_system_prompt: word.optional().describe('Is added to the system prompt.'),
  setting_sources: z
    .array(z.enum(['user', 'project', 'local']))
    .optional()
    .describe('The settings files that it reads; all when absent.'),
  max_turns: z.int().min(1).optional().describe('How many rounds with the model a turn may take.'),
  max_budget_usd: z.number().positive().optional().describe('What the process may cost in all, in dollars.'),
  resume: word.optional().describe('The session id that a new conversation goes on with.'),
  continue: z
    .boolean()
    .optional()
    .describe('A new conversation goes on with the newest session of the directory.'),
  fork: z.boolean().optional().describe('With resume or continue: goes on in a copy.'),
});

function fromClaude(fields: z.infer<typeof claudeSchema>, origin: Origin): Profile {
  const settings = defined(
    {
      ...claude.defaults,
      ...commonSettings(fields, splitCommand(fields), claude.defaults, origin),
      model: fields.model,
      fallbackModel: fields.fallback_model,
      effort: fields.effort,
      permissionMode: fields.permission_mode,
      allowedTools: fields.allowed_tools,
      disallowedTools: fields.disallowed_tools,
      addDirs: fields.add_dirs,
      mcpConfig: fields.mcp_config,
      strictMcpConfig: fields.strict_mcp_config,
      systemPrompt: fields.system_prompt,
      appendSystemPrompt: fields.append_system_prompt,
      settingSources: fields.setting_sources,
      maxTurns: fields.max_turns,
      maxBudgetUsd: fields.max_budget_usd,
      resume: fields.resume,
      continue: fields.continue,
      fork: fields.fork,
    },
    claude.defaults,
  );
  return createProfile('claude', settings, fields, origin, 'base');
}

export const claudeProfile = { schema: claudeSchema, make: fromClaude } as const;
