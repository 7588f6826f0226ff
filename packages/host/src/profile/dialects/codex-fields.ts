import { z } from 'zod';
import { commandLine, commonFields } from '../fields.ts';

const word = z.string().min(1);

/** The profile fields that both forms of Codex share. */
export const codexFields = {
  ...commonFields,
  command: commandLine
    .default(['codex'])
    .describe('The program: a string, or a list of arguments. The words of the protocol are added.'),
  model: word.optional().describe('The model of a new thread.'),
  model_provider: word.optional().describe('The provider of the model, one of those in config.toml.'),
  effort: word.optional().describe('How hard the model thinks: low, medium, high and the like.'),
  approval_policy: z
    .enum(['untrusted', 'on-request', 'never'])
    .optional()
    .describe('When it asks before it runs a command.'),
  sandbox: z
    .enum(['read-only', 'workspace-write', 'danger-full-access'])
    .optional()
    .describe('What commands may write to.'),
  network_access: z
    .boolean()
    .optional()
    .describe('Whether commands may use the network, with sandbox: workspace-write.'),
  add_dirs: z
    .array(z.string().startsWith('/', 'Expected an absolute path.'))
    .optional()
    .describe('Further directories that commands may write to, with sandbox: workspace-write.'),
  developer_instructions: word.optional().describe('Is added to its instructions.'),
  config: z
    .record(z.string().regex(/^[\w.-]+$/, 'A key of config.toml: letters, digits, dots, _ and -.'), z.json())
    .optional()
    .describe('Further keys of config.toml, as flags of the command: no place for secrets.'),
  resume: word.optional().describe('The thread id that a new conversation goes on with.'),
  ephemeral: z.boolean().optional().describe('Keep no file of a thread.'),
};

type CodexFields = z.infer<z.ZodObject<typeof codexFields>>;

/** The settings of these fields. */
export function codexSettings(fields: CodexFields) {
  return {
    model: fields.model,
    modelProvider: fields.model_provider,
    effort: fields.effort,
    approvalPolicy: fields.approval_policy,
    sandbox: fields.sandbox,
    networkAccess: fields.network_access,
    addDirs: fields.add_dirs,
    developerInstructions: fields.developer_instructions,
    config: fields.config,
    resume: fields.resume,
    ephemeral: fields.ephemeral,
  };
}
