import { until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { malformed } from '../malformed.ts';
import { startWhatsapp } from './bench.ts';

function webhookOf(phone: unknown, value: object): object {
  const metadata = { phone_number_id: phone, display_phone_number: '+1 555' };
  const changes = [{ field: 'messages', value: { metadata, ...value } }];
  return { object: 'whatsapp_business_account', entry: [{ id: '1', changes }] };
}

const CONTACTS = [{ wa_id: '4912', user_id: 'u1', profile: { name: 'Ada' } }];
const ABOUT = { from: '4912', from_user_id: 'u1', timestamp: '1', context: { id: 'w0', from: '1555' } };
const MESSAGES = [
  { ...ABOUT, id: 'w1', type: 'text', text: { body: 'hello' } },
  { ...ABOUT, id: 'w2', type: 'image', image: { id: 'm1', mime_type: 'image/png', caption: 'this' } },
  { ...ABOUT, id: 'w3', type: 'interactive', interactive: { button_reply: { id: 'k', title: 'Yes' } } },
  { ...ABOUT, id: 'w4', type: 'location', location: { latitude: 1, longitude: 2, name: 'here' } },
  {
    ...ABOUT,
    id: 'w5',
    type: 'contacts',
    contacts: [{ name: { formatted_name: 'B' }, phones: [{ phone: '1' }] }],
  },
  {
    ...ABOUT,
    id: 'w6',
    type: 'system',
    system: { type: 'user_changed_number', previous_user_id: 'a', user_id: 'b' },
  },
];
const STATUSES = [
  {
    id: 'w7',
    status: 'failed',
    biz_opaque_callback_data: 'd1',
    errors: [{ code: 1, title: 'x', error_data: {} }],
  },
];

describe('malformed input from WhatsApp', () => {
  it('of any shape in a signed webhook is answered, and the messages after it are taken', async () => {
    const { platform, ingress } = await startWhatsapp();
    const phone = platform.settings.phone_number_id;
    const samples = [
      ...MESSAGES.map((message) => webhookOf(phone, { contacts: CONTACTS, messages: [message] })),
      webhookOf(phone, { statuses: STATUSES }),
    ];
    const answers = new Set<number>();
    for (const sample of samples)
      for (const payload of malformed(sample)) {
        const body = Buffer.from(JSON.stringify(payload));
        answers.add((await platform.webhooks.post(body, platform.webhooks.sign(body))).status);
      }
    expect([...answers].sort()).toEqual([200, 400]);
    platform.say('after it');
    await until(() => ingress.heard.some(({ text }) => text === 'after it'), 'the message');
  });
});
