import { nuum } from '@plugboard/protocol';
import { z } from 'zod';
import { splitCommand } from '../command.ts';
import { commonSettings, createProfile, type Origin } from '../create-profile.ts';
import { commonFields } from '../fields.ts';
import type { Profile } from '../profile.ts';

const nuumSchema = z.strictObject({
  dialect: z.literal('nuum').optional().describe('The wire protocol that the agent speaks.'),
  ...commonFields,
});

function fromNuum(fields: z.infer<typeof nuumSchema>, origin: Origin): Profile {
  const settings = {
    ...nuum.defaults,
    ...commonSettings(fields, splitCommand(fields), nuum.defaults, origin),
  };
  return createProfile('nuum', settings, fields, origin, 'base');
}

export const nuumProfile = { schema: nuumSchema, make: fromNuum } as const;
