import { codexExec } from '@plugboard/protocol';
import { z } from 'zod';
import { splitCommand } from '../command.ts';
import { commonSettings, createProfile, defined, type Origin } from '../create-profile.ts';
import type { Profile } from '../profile.ts';
import { codexFields, codexSettings } from './codex-fields.ts';

const codexExecSchema = z.strictObject({
  dialect: z.literal('codex/exec').optional().describe('The wire protocol that the agent speaks.'),
  ...codexFields,
});

function fromCodexExec(fields: z.infer<typeof codexExecSchema>, origin: Origin): Profile {
  const settings = defined(
    {
      ...codexExec.defaults,
      ...commonSettings(fields, splitCommand(fields), codexExec.defaults, origin),
      ...codexSettings(fields),
    },
    codexExec.defaults,
  );
  return createProfile('codex/exec', settings, fields, origin, 'base');
}

export const codexExecProfile = { schema: codexExecSchema, make: fromCodexExec } as const;
