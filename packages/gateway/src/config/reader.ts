import { profileReader } from '@plugboard/host';

/** How the host reads profiles: the same places, sentences and suggestions for this file, and the same fields for agents. */
export const {
  checkFields,
  isRecord,
  meant,
  parseSource,
  problemAt,
  profileFrom,
  profileSchemas,
  readSource,
} = await profileReader();
