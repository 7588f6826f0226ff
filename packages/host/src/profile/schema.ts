import { templateProblem } from '@plugboard/protocol';
import { z } from 'zod';
import { shellCommand, type WrittenCommand } from './command.ts';

const seconds = z.number().min(0);
// Numbers and yes-or-no are taken as they are spelt; a map or nothing at all is a mistake, not a text.
const text = z
  .union([z.string(), z.number(), z.boolean()], { error: 'Expected text, a number, true or false.' })
  .transform(String);
const variables = z
  .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'A variable is named by letters, digits and _.'), text)
  .default({})
  .describe('Variables that the agent gets.');
const PROGRAM = 'Expected the program to start: text, or a list of arguments.';
const commandLine = z
  .union([z.string().trim().min(1, PROGRAM), z.array(z.string()).min(1, PROGRAM)], { error: PROGRAM })
  .describe('The program: a string, or a list of arguments.');

const SIZE = 'Expected bytes as a number, or text such as 512 MiB or 2 GiB; 1 MiB or more.';
const UNITS = { b: 1, kib: 1024, mib: 1024 ** 2, gib: 1024 ** 3, tib: 1024 ** 4 } as const;
const LEAST_MEMORY = 1024 ** 2;

/** Units are powers of 1024: those of 1000 are too easily meant otherwise. */
const memorySize = z.union([z.number(), z.string()], { error: SIZE }).transform((given, context) => {
  const [, amount, unit = 'b'] = /^\s*(\d+(?:\.\d+)?)\s*([KMGT]iB|B)?\s*$/i.exec(String(given)) ?? [];
  const bytes = Math.floor(Number(amount) * UNITS[unit.toLowerCase() as keyof typeof UNITS]);
  if (Number.isSafeInteger(bytes) && bytes >= LEAST_MEMORY) return bytes;
  context.addIssue({ code: 'custom', message: SIZE });
  return z.NEVER;
});

/** What a profile of any dialect may say. */
const common = {
  $schema: z.string().optional().describe('The JSON Schema of this file, for editors.'),
  name: z.string().min(1).optional().describe('What messages and the session memory call the agent.'),
  description: z.string().optional().describe('What the agent is for.'),
  command: commandLine,
  args: z.array(text).default([]).describe('Further arguments.'),
  cwd: z.string().optional().describe('Where the process starts; the workspace when absent.'),
  env: variables,
  workspace: z.string().optional().describe('Where the agent works; below it, it may hand out files.'),
  inherit: z.boolean().optional().describe('Hand on the whole environment rather than a base set.'),
  timeout_secs: seconds.optional().describe('How many seconds a turn may take; 0 means no limit.'),
  idle_timeout_secs: seconds
    .optional()
    .describe('How many seconds the agent may be silent; 0 means no limit.'),
  kill_grace_secs: seconds.optional().describe('Seconds from SIGTERM to SIGKILL.'),
  prewarm: z
    .int()
    .min(0)
    .max(64)
    .optional()
    .describe('How many processes wait for their turn already started.'),
  media_roots: z.array(z.string()).optional().describe('Further directories it may hand out files from.'),
  line_bytes: z.int().min(1024).optional().describe('The longest line of output that is read.'),
  limits: z
    .strictObject({
      memory: memorySize
        .optional()
        .describe(
          'How much memory a process of the agent and its children may hold: bytes, or text such as 512 MiB.',
        ),
      processes: z
        .int()
        .min(1)
        .max(1_000_000)
        .optional()
        .describe('How many processes and threads a process of the agent may start.'),
    })
    .optional()
    .describe('How much of the machine the agent may take.'),
};

const allowlist = z.array(z.string()).optional().describe('The only variables that ${VAR} may name.');
const streaming = z.boolean().optional().describe('Pass on pieces of the answer as they come.');

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

const provider = z.strictObject({
  apiKeys: z.array(z.string()).min(1).describe('The keys, of which the agent may use any.'),
  models: z.array(z.string()).optional().describe('The models that these keys are for.'),
  baseUrl: z.string().optional().describe('Where the provider answers.'),
});

const terminalFields = {
  enabled: z
    .boolean()
    .optional()
    .describe('As in a nanobot configuration, where false is refused; means nothing in a profile of ours.'),
  timeout: seconds.optional().describe('The same as timeout_secs.'),
  protocol: z.enum(['plain', 'rich']).optional().describe('Whether output is text or frames.'),
  passMedia: z.boolean().optional().describe('Whether the envelope carries the files of a turn.'),
  providers: z
    .record(z.string(), provider)
    .default({})
    .describe('Providers that the envelope carries, by name.'),
  stderr: z
    .enum(['reply', 'log'])
    .optional()
    .describe('Append stderr to the answer, or keep it for the operator.'),
  detect_media: z
    .boolean()
    .optional()
    .describe('Whether paths of media files in plain output become attachments; true unless told.'),
};

export const agentprocSchema = z.strictObject({
  dialect: z.literal('agentproc').optional().describe('The wire protocol that the agent speaks.'),
  ...common,
  ...agentprocFields,
});

export const agentprocV4Schema = z.strictObject({
  dialect: z.literal('agentproc/v4').optional().describe('The wire protocol that the agent speaks.'),
  ...common,
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

export const terminalSchema = z
  .strictObject({
    dialect: z.literal('terminal').optional().describe('The wire protocol that the agent speaks.'),
    ...common,
    ...terminalFields,
  })
  .superRefine(checkTemplate)
  .refine(({ timeout, timeout_secs }) => timeout === undefined || timeout_secs === undefined, {
    path: ['timeout'],
    error: 'This says the same as timeout_secs; keep one of them.',
  });

export const nibSchema = z.strictObject({
  dialect: z.literal('nib').optional().describe('The wire protocol that the agent speaks.'),
  ...common,
});

export const nuumSchema = z.strictObject({
  dialect: z.literal('nuum').optional().describe('The wire protocol that the agent speaks.'),
  ...common,
});

/** The `terminal` block of a nanobot configuration; what else that file holds is not ours to judge. */
export const nanobotSchema = z.looseObject({
  agents: z
    .looseObject({ defaults: z.looseObject({ workspace: z.string().optional() }).optional() })
    .optional(),
  terminal: z
    .strictObject({
      command: z.string().trim().min(1),
      env: variables,
      allowInjection: z.boolean().optional(),
      revealErrors: z.union([z.boolean(), z.array(z.coerce.string())]).optional(),
      ...terminalFields,
    })
    .superRefine(checkTemplate),
});

export type AgentprocFields = z.infer<typeof agentprocSchema>;
export type AgentprocV4Fields = z.infer<typeof agentprocV4Schema>;
export type TerminalFields = z.infer<typeof terminalSchema>;
export type NibFields = z.infer<typeof nibSchema>;
export type NuumFields = z.infer<typeof nuumSchema>;
export type NanobotFields = z.infer<typeof nanobotSchema>;

function checkTemplate(fields: WrittenCommand, context: z.RefinementCtx): void {
  const message = templateProblem(shellCommand(fields));
  if (message !== undefined) context.addIssue({ code: 'custom', path: ['command'], message });
}
