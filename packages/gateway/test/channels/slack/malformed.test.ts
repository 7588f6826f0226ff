import { signSlackRequest, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { malformed } from '../malformed.ts';
import { isMethod, startSlack } from './slack-bench.ts';

const FILE = { id: 'F1', name: 'a.txt', mimetype: 'text/plain', size: 1, url_private: 'http://127.0.0.1:1/' };
const EVENT = {
  ...{ type: 'message', channel: 'D1', channel_type: 'im', user: 'U1', ts: '1.5', text: 'hello <@U2>' },
  ...{ thread_ts: '1.0', files: [FILE], attachments: [{ is_share: true, text: 'shared' }] },
};
const CALLBACK = { type: 'event_callback', event_id: 'Ev1', event: EVENT };
const PRESS = {
  ...{ type: 'block_actions', user: { id: 'U1', name: 'ada' }, trigger_id: 't' },
  container: { channel_id: 'D1', message_ts: '1.5', thread_ts: '1.0' },
  actions: [{ action_id: 'text:key' }],
};
const FORM = {
  ...{ type: 'view_submission', user: { id: 'U1', name: 'ada' } },
  view: {
    ...{ callback_id: 'plugboard-answer', private_metadata: '{"place":"D1","key":"k"}' },
    state: { values: { answer: { text: { value: 'yes' } } } },
  },
};
const COMMAND = { channel_id: 'D1', user_id: 'U1', trigger_id: 't1', text: 'help' };

describe('malformed input from Slack', () => {
  it('of any shape in a frame is left out, and the messages after it are taken', async () => {
    const { slack, ingress } = await startSlack();
    const envelopes = [
      { type: 'events_api', envelope_id: 'e1', payload: CALLBACK },
      { type: 'interactive', envelope_id: 'e2', payload: PRESS },
      { type: 'interactive', envelope_id: 'e3', payload: FORM },
      { type: 'slash_commands', envelope_id: 'e4', payload: COMMAND },
    ];
    for (const envelope of envelopes)
      for (const frame of malformed(envelope)) slack.sockets.send(frame as object);
    slack.say('after it');
    await until(() => ingress.heard.some(({ text }) => text === 'after it'), 'the message', 10_000);
    expect(ingress.failed).toEqual([]);
  });

  it('of any shape in a signed request is answered, and the requests after it are taken', async () => {
    const bench = await startSlack({ http: true });
    const post = async (body: string, type: string): Promise<number | undefined> => {
      const { signingSecret } = bench.slack.workspace;
      const atSecs = Math.floor(Date.now() / 1000);
      const request = signSlackRequest(signingSecret, body, atSecs, { 'content-type': type });
      return (await bench.channel.receiveHook?.(request))?.status;
    };
    const asForm = (payload: unknown): string => `payload=${encodeURIComponent(JSON.stringify(payload))}`;
    const answers = new Set<number | undefined>();
    for (const payload of malformed(CALLBACK))
      answers.add(await post(JSON.stringify(payload), 'application/json'));
    for (const sample of [PRESS, FORM])
      for (const payload of malformed(sample))
        answers.add(await post(asForm(payload), 'application/x-www-form-urlencoded'));
    expect([...answers].sort()).toEqual([200, 400]);
  });

  it.each([{ ok: true }, { ok: true, url: 'nowhere' }, { ok: true, url: 5 }, {}, [], 'null', '<html>'])(
    'as the address of its sockets (%j) makes the start fail, and a later start succeeds',
    async (body) => {
      const { slack, channel, ingress } = await startSlack();
      await channel.stop();
      slack.server.trouble({ status: 200, body }, isMethod('apps.connections.open'));
      await expect(channel.start(ingress)).rejects.toMatchObject({ name: 'SlackCallError' });
      await channel.stop();
      await channel.start(ingress);
      slack.say('after it');
      await until(() => ingress.heard.some(({ text }) => text === 'after it'), 'the message');
    },
  );
});
