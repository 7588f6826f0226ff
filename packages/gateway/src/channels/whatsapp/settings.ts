import { z } from 'zod';
import { secretField } from '../../config/secret.ts';
import { apiField } from '../api-field.ts';

export const whatsappFields = z.strictObject({
  phone_number_id: z
    .string()
    .regex(/^\d{5,30}$/, 'Expected the id of the phone number: digits alone, and not the number itself.')
    .describe('The id of the business phone number, from the API set-up page of the app.'),
  token: secretField().describe(
    'The access token of a system user, with whatsapp_business_messaging and whatsapp_business_management.',
  ),
  app_secret: secretField().describe('The secret of the app: it signs the webhooks.'),
  verify_token: secretField().describe('A word of your own that Meta repeats when the webhook is set up.'),
  business_account: z
    .string()
    .regex(/^\d{5,30}$/, 'Expected the id of the WhatsApp Business Account.')
    .optional()
    .describe('The id of the WhatsApp Business Account, whose webhooks the app then subscribes to.'),
  template: z
    .string()
    .regex(/^[a-z0-9_]{1,512}$/, 'Expected the name of a message template.')
    .optional()
    .describe(
      'A message template with one variable, for messages to people who have not written for 24 hours.',
    ),
  template_language: z
    .string()
    .regex(/^[a-z]{2,3}(_[A-Z]{2})?$/, 'Expected a language such as en or en_US.')
    .default('en')
    .describe('The language of the template.'),
  api: apiField('https://graph.facebook.com/v26.0').describe('Address of the API, with its version.'),
});

export type WhatsappSettings = z.infer<typeof whatsappFields>;
