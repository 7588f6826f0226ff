import type { ChannelKind } from '../kind.ts';
import { type WebhookSettings, webhookFields } from './settings.ts';
import { secretProblem } from './signature.ts';

/** Any platform, through a small program of the operator's own. */
export const webhookKind: ChannelKind<WebhookSettings> = {
  name: 'webhook',
  title: 'Webhook',
  fields: webhookFields,
  packages: [],
  setup: {
    steps: ['Start a program that takes signed posts, such as examples/webhook/bridge.mjs.'],
    questions: [
      { field: 'url', question: 'Address to which messages are posted' },
      { field: 'secret', question: 'Secret of the signatures (whsec_…)', secret: true, check: secretProblem },
    ],
  },
  load: () => import('./webhook.ts'),
};
