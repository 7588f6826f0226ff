import { z } from 'zod';

const seconds = z.number().min(0).describe('Seconds; 0 means no limit.');
const variables = z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.coerce.string());
const commandLine = z.union([z.string().trim().min(1), z.array(z.string()).min(1)]);

/** What a profile of any dialect may say. */
const common = {
  $schema: z.string().optional(),
  name: z.string().min(1).optional(),
  description: z.string().optional(),
  command: commandLine.describe('The program: a string, or a list of arguments.'),
  args: z.array(z.coerce.string()).default([]),
  cwd: z.string().optional(),
  env: variables.default({}),
  workspace: z.string().optional().describe('Where the agent works; below it, it may hand out files.'),
  inherit: z.boolean().optional().describe('Hand on the whole environment rather than a base set.'),
  timeout_secs: seconds.optional(),
  idle_timeout_secs: seconds.optional(),
  kill_grace_secs: seconds.optional(),
  prewarm: z.int().min(0).max(64).optional(),
  media_roots: z.array(z.string()).optional(),
  line_bytes: z.int().min(1024).optional(),
};

const allowlist = z.array(z.string()).optional().describe('The only variables that ${VAR} may name.');

const agentprocFields = {
  env_allowlist: allowlist,
  stdin: z.enum(['none', 'message']).default('none'),
  max_reply_chars: z.int().optional(),
  truncation_suffix: z.string().optional(),
  include_stderr_in_reply: z.boolean().optional(),
  send_error_reply: z.boolean().optional(),
  streaming: z.boolean().optional(),
  session_line_prefix: z.string().min(1).optional(),
};

const provider = z.strictObject({
  apiKeys: z.array(z.string()).min(1),
  models: z.array(z.string()).optional(),
  baseUrl: z.string().optional(),
});

const terminalFields = {
  enabled: z.boolean().optional(),
  timeout: seconds.optional(),
  protocol: z.enum(['plain', 'rich']).optional(),
  passMedia: z.boolean().optional(),
  providers: z.record(z.string(), provider).default({}),
  stderr: z.enum(['reply', 'log']).optional(),
};

export const agentprocSchema = z.strictObject({
  dialect: z.literal('agentproc').optional(),
  ...common,
  ...agentprocFields,
});

export const agentprocV4Schema = z.strictObject({
  dialect: z.literal('agentproc/v4').optional(),
  ...common,
  env_allowlist: allowlist,
  streaming: z.boolean().optional(),
  permission: z.union([z.boolean(), z.enum(['off', 'deny'])]).optional(),
});

export const terminalSchema = z.strictObject({
  dialect: z.literal('terminal').optional(),
  ...common,
  ...terminalFields,
});

export const nibSchema = z.strictObject({ dialect: z.literal('nib').optional(), ...common });

export const nuumSchema = z.strictObject({ dialect: z.literal('nuum').optional(), ...common });

/** The `terminal` block of a nanobot configuration; what else that file holds is not ours to judge. */
export const nanobotSchema = z.looseObject({
  agents: z
    .looseObject({ defaults: z.looseObject({ workspace: z.string().optional() }).optional() })
    .optional(),
  terminal: z.strictObject({
    command: z.string().trim().min(1),
    env: variables.default({}),
    allowInjection: z.boolean().optional(),
    revealErrors: z.union([z.boolean(), z.array(z.coerce.string())]).optional(),
    ...terminalFields,
  }),
});

export type AgentprocFields = z.infer<typeof agentprocSchema>;
export type AgentprocV4Fields = z.infer<typeof agentprocV4Schema>;
export type TerminalFields = z.infer<typeof terminalSchema>;
export type NibFields = z.infer<typeof nibSchema>;
export type NuumFields = z.infer<typeof nuumSchema>;
export type NanobotFields = z.infer<typeof nanobotSchema>;
