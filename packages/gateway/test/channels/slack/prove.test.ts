import { type FakeSlack, onTestEnd, startFakeSlack } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { slackKind } from '../../../src/channels/slack/kind.ts';
import { slackFields } from '../../../src/channels/slack/settings.ts';
import { prove } from '../../../src/channels/slack/slack.ts';
import { Secret } from '../../../src/config/secret.ts';
import { isMethod, settingsFor } from './slack-bench.ts';

async function start(): Promise<FakeSlack> {
  const slack = await startFakeSlack();
  onTestEnd(() => slack[Symbol.asyncDispose]());
  return slack;
}

describe('proving the tokens of Slack', () => {
  it('names the bot and opens a conversation with it', async () => {
    const slack = await start();
    const proof = await prove({ settings: settingsFor(slack) });
    const { team, app } = slack.workspace;
    expect(proof).toMatchObject({ name: 'plugboard in Fake', remarks: [] });
    expect(proof.link?.()).toBe(`slack://app?team=${team}&id=${app}`);
  });

  it('says what does not work without each scope that is missing', async () => {
    const slack = await start();
    slack.workspace.scopes.delete('files:read');
    slack.workspace.scopes.delete('users:read');
    const { remarks, link } = await prove({ settings: settingsFor(slack) });
    expect(remarks).toEqual([
      expect.stringMatching(
        /^Without the scope files:read, files of people are left out\..*install the app again/,
      ),
      expect.stringMatching(/^Without the scope users:read/),
    ]);
    expect(link?.()).toBe(`slack://user?team=${slack.workspace.team}&id=${slack.workspace.botUser}`);
  });

  it('says that the two tokens belong to different apps', async () => {
    const slack = await start();
    slack.server.trouble(
      { status: 200, body: { ok: true, bot: { app_id: 'AOTHER' } } },
      isMethod('bots.info'),
    );
    expect((await prove({ settings: settingsFor(slack) })).remarks[0]).toMatch(/different apps \(AOTHER and/);
  });

  it.each([
    ['bot_token', 'auth.test'],
    ['app_token', 'apps.connections.open'],
  ])('fails with a sentence when the %s is wrong, and does not show it', async (field, method) => {
    const slack = await start();
    const settings = settingsFor(slack, { [field]: new Secret('xapp-wrong') });
    await expect(prove({ settings })).rejects.toThrow(`Slack refused ${method}: invalid_auth.`);
  });

  it('needs no app-level token over HTTP', async () => {
    const slack = await start();
    const settings = settingsFor(slack, {
      mode: 'http',
      signing_secret: new Secret('s'),
      app_token: undefined,
    });
    expect((await prove({ settings })).name).toBe('plugboard in Fake');
    expect(slack.server.calls.some(isMethod('apps.connections.open'))).toBe(false);
  });
});

describe('setting Slack up', () => {
  it('begins with a link that describes the whole app', () => {
    const [link = ''] = /https:\S+/.exec(slackKind.setup.steps[0] ?? '') ?? [];
    const manifest = JSON.parse(new URL(link).searchParams.get('manifest_json') ?? '') as {
      settings: { socket_mode_enabled: boolean; event_subscriptions: { bot_events: string[] } };
      features: { app_home: { messages_tab_enabled: boolean }; slash_commands: { command: string }[] };
    };
    expect(manifest.settings.socket_mode_enabled).toBe(true);
    expect(manifest.settings.event_subscriptions.bot_events).toContain('app_mention');
    expect(manifest.features.app_home.messages_tab_enabled).toBe(true);
    expect(manifest.features.slash_commands.map(({ command }) => command)).toEqual(['/plugboard']);
  });

  it('refuses one kind of token where the other is asked for', () => {
    const [bot, app] = slackKind.setup.questions;
    expect(bot?.check?.('xapp-1')).toBe('This is no bot token: those begin with xoxb-');
    expect(app?.check?.('xoxb-1')).toBe('This is no app-level token: those begin with xapp-');
    expect([bot?.check?.('xoxb-1'), app?.check?.('xapp-1')]).toEqual([undefined, undefined]);
  });

  it.each([
    ['socket', ['bot_token', 'app_token']],
    ['http', ['bot_token', 'signing_secret']],
  ])('asks in the mode %s for %o', (mode, fields) => {
    const asked = slackKind.setup.questions.filter(({ isAsked }) => isAsked?.({ mode }) !== false);
    expect(asked.map(({ field }) => field)).toEqual(fields);
  });

  it('sends tokens to no other machine without encryption', () => {
    const given = { bot_token: '${T}', app_token: '${A}' };
    expect(slackFields.safeParse({ ...given, api: 'http://slack.example/api/' }).success).toBe(false);
    for (const api of ['https://slack.example/api/', 'http://127.0.0.1:9/api/'])
      expect(slackFields.safeParse({ ...given, api }).success).toBe(true);
  });
});
