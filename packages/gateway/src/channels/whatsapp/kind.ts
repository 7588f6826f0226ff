import type { ChannelKind } from '../kind.ts';
import { personProblem } from '../person-problem.ts';
import { type WhatsappSettings, whatsappFields } from './settings.ts';

const wantsDigits = (value: string): string | undefined =>
  /^\d{5,30}$/.test(value) ? undefined : 'The id has digits alone. It is not the phone number.';

const wantsLength =
  (shortest: number, name: string) =>
  (value: string): string | undefined =>
    value.trim().length < shortest ? `${name} has at least ${shortest} characters.` : undefined;

/** WhatsApp, through Meta's Cloud API and its signed webhooks. */
export const whatsappKind: ChannelKind<WhatsappSettings> = {
  name: 'whatsapp',
  title: 'WhatsApp',
  fields: whatsappFields,
  account: 'phone_number_id',
  personProblem,
  packages: [],
  setup: {
    steps: [
      'At developers.facebook.com/apps, create an app of the type Business and add the product WhatsApp.',
      'WhatsApp > API Setup: note the phone number ID. App settings > Basic: note the app secret.',
      'At business.facebook.com, Settings > System users: add one, assign it the app and the WhatsApp account, and make a token with whatsapp_business_messaging and whatsapp_business_management.',
      'Make the gateway reachable by https. WhatsApp > Configuration > Webhook: the callback URL is https://YOUR-HOST/hooks/NAME-OF-THIS-CHANNEL, the verify token is the word that you choose here; subscribe to the field messages.',
    ],
    questions: [
      { field: 'phone_number_id', question: 'Phone number ID', check: wantsDigits },
      { field: 'token', question: 'Access token', secret: true, check: wantsLength(20, 'A token') },
      { field: 'app_secret', question: 'App secret', secret: true, check: wantsLength(16, 'An app secret') },
      {
        field: 'verify_token',
        question: 'Verify token (any word; type the same at Meta)',
        secret: true,
        check: wantsLength(8, 'A verify token'),
      },
    ],
  },
  load: () => import('./whatsapp.ts'),
};
