import { z } from 'zod';
import { secretField } from '../../config/secret.ts';

export const webhookFields = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: 'Expected an http or https address.' })
    .describe('Where messages to people are posted.'),
  secret: secretField().describe('The key of the signatures, in both directions.'),
  private: z
    .boolean()
    .default(false)
    .describe('The address may be one of this machine or of a private network.'),
  text_length: z.int().min(100).max(1_000_000).default(4_000).describe('The longest text of a message.'),
  edits: z.boolean().default(false).describe('Messages can be edited: answers grow while they are written.'),
  drops_repeats: z
    .boolean()
    .default(false)
    .describe(
      'A message with an id that came before is dropped, so that it may be sent again when in doubt.',
    ),
  buttons: z.int().min(0).max(100).default(0).describe('Most buttons of a message; 0 numbers the choices.'),
});

export type WebhookSettings = z.infer<typeof webhookFields>;
