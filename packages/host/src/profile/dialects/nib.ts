import { nib } from '@plugboard/protocol';
import { z } from 'zod';
import { splitCommand } from '../command.ts';
import { commonSettings, createProfile, type Origin } from '../create-profile.ts';
import { commonFields } from '../fields.ts';
import type { Profile } from '../profile.ts';

const nibSchema = z.strictObject({
  dialect: z.literal('nib').optional().describe('The wire protocol that the agent speaks.'),
  ...commonFields,
});

function fromNib(fields: z.infer<typeof nibSchema>, origin: Origin): Profile {
  const settings = { ...nib.defaults, ...commonSettings(fields, splitCommand(fields), nib.defaults, origin) };
  return createProfile('nib', settings, fields, origin, 'all');
}

export const nibProfile = { schema: nibSchema, make: fromNib } as const;
