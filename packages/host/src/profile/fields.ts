import { z } from 'zod';

/** A length of time. */
export const seconds = z.number().min(0);
// A number or boolean becomes its text. A map or an empty value is an error.
const text = z
  .union([z.string(), z.number(), z.boolean()], { error: 'Expected text, a number, true or false.' })
  .transform(String);
export const variables = z
  .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'A variable is named by letters, digits and _.'), text)
  .default({})
  .describe('Variables that the agent gets.');
const PROGRAM = 'Expected the program to start: text, or a list of arguments.';
export const commandLine = z
  .union([z.string().trim().min(1, PROGRAM), z.array(z.string()).min(1, PROGRAM)], { error: PROGRAM })
  .describe('The program: a string, or a list of arguments.');

const SIZE = 'Expected bytes as a number, or text such as 512 MiB or 2 GiB; 1 MiB or more.';
const UNITS = { b: 1, kib: 1024, mib: 1024 ** 2, gib: 1024 ** 3, tib: 1024 ** 4 } as const;
const LEAST_MEMORY = 1024 ** 2;

/** Units are powers of 1024. `MB` and `GB` are refused, because readers differ on their size. */
const memorySize = z.union([z.number(), z.string()], { error: SIZE }).transform((given, context) => {
  const [, amount, unit = 'b'] = /^\s*(\d+(?:\.\d+)?)\s*([KMGT]iB|B)?\s*$/i.exec(String(given)) ?? [];
  const bytes = Math.floor(Number(amount) * UNITS[unit.toLowerCase() as keyof typeof UNITS]);
  if (Number.isSafeInteger(bytes) && bytes >= LEAST_MEMORY) return bytes;
  context.addIssue({ code: 'custom', message: SIZE });
  return z.NEVER;
});

const decision = z.enum(['ask', 'allow', 'deny']);

/** The profile fields that all dialects share. */
export const commonFields = {
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
  approvals: z
    .strictObject({
      default: z
        .enum(['ask', 'allow', 'deny'])
        .default('ask')
        .describe('What is done where no rule fits: ask a person, allow or deny.'),
      rules: z
        .array(
          z.strictObject({
            tool: z.string().min(1).describe('The name of a tool; * stands for any characters.'),
            decision: decision.describe('What is done when the agent asks for it.'),
          }),
        )
        .default([])
        .describe('The first rule that fits decides.'),
      timeout_secs: seconds
        .default(300)
        .describe('How many seconds a person has to answer; then the answer is no. 0 means no limit.'),
      approvers: z
        .array(z.string().min(1))
        .min(1)
        .optional()
        .describe('Who may answer: names of tokens and of senders; everybody in the session when absent.'),
    })
    .optional()
    .describe('Who decides when the agent asks whether it may use a tool.'),
};

export const allowlist = z.array(z.string()).optional().describe('The only variables that ${VAR} may name.');
export const streaming = z.boolean().optional().describe('Pass on pieces of the answer as they come.');

export type CommonFields = z.infer<z.ZodObject<typeof commonFields>>;
