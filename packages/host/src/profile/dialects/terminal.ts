import { templateProblem, terminal } from '@plugboard/protocol';
import { z } from 'zod';
import { shellCommand, type WrittenCommand } from '../command.ts';
import { commonSettings, createProfile, defined, type Origin } from '../create-profile.ts';
import { commonFields, seconds, variables } from '../fields.ts';
import type { Profile } from '../profile.ts';

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

const terminalSchema = z
  .strictObject({
    dialect: z.literal('terminal').optional().describe('The wire protocol that the agent speaks.'),
    ...commonFields,
    ...terminalFields,
  })
  .superRefine(checkTemplate)
  .refine(({ timeout, timeout_secs }) => timeout === undefined || timeout_secs === undefined, {
    path: ['timeout'],
    error: 'This says the same as timeout_secs; keep one of them.',
  });

/** The `terminal` block of a nanobot configuration. Other parts of that file are not checked. */
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

/** A terminal agent: a string runs in `/bin/sh`, a list is started directly. */
function fromTerminal(fields: z.infer<typeof terminalSchema>, origin: Origin): Profile {
  const settings = defined(
    {
      ...terminal.defaults,
      ...commonSettings(fields, shellCommand(fields), terminal.defaults, origin),
      timeoutSecs: fields.timeout ?? fields.timeout_secs,
      protocol: fields.protocol,
      passMedia: fields.passMedia,
      providers: fields.providers,
      stderr: fields.stderr,
      detectMedia: fields.detect_media,
    },
    terminal.defaults,
  );
  return createProfile('terminal', settings, fields, origin, 'all');
}

/** The `terminal` block of a nanobot configuration, with the workspace that file names. */
export function fromNanobot(file: z.infer<typeof nanobotSchema>, origin: Origin): Profile {
  const { allowInjection: _injection, revealErrors: _reveal, ...block } = file.terminal;
  const workspace = file.agents?.defaults?.workspace;
  return fromTerminal(
    { dialect: 'terminal', args: [], ...block, ...(workspace === undefined ? {} : { workspace }) },
    origin,
  );
}

function checkTemplate(fields: WrittenCommand, context: z.RefinementCtx): void {
  const message = templateProblem(shellCommand(fields));
  if (message !== undefined) context.addIssue({ code: 'custom', path: ['command'], message });
}

export const terminalProfile = { schema: terminalSchema, make: fromTerminal } as const;
