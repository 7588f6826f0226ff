import { describe, expect, it } from 'vitest';
import { folder } from './folder.ts';

const TOKENS = {
  TOKEN: '123456789:AAEfake-token-of-a-bot-for-tests',
  OTHER: '987654321:AAEother-token-for-tests',
};

async function problemsOf(channels: string): Promise<readonly string[]> {
  using at = folder(`env: [TOKEN, OTHER]\nchannels:\n${channels.replace(/^/gm, '  ')}\n`);
  return await at.problems(TOKENS);
}

const TELEGRAM = 'telegram: { token: "${TOKEN}"';

describe('a channel that could not work', () => {
  it.each([
    [`${TELEGRAM}, mode: webhook }`, 'channels.telegram: The field "url" is needed for mode: webhook.'],
    ['slack: { bot_token: "${TOKEN}" }', 'channels.slack: Socket Mode needs "app_token"'],
    ['slack: { bot_token: "${TOKEN}", mode: http }', 'channels.slack: The mode http needs "signing_secret"'],
    [`${TELEGRAM}, allow: ["7", "@ada"] }`, 'channels.telegram.allow.1: "@ada" is a name'],
    [`${TELEGRAM}, owners: ["@ada"] }`, 'channels.telegram.owners.0: "@ada" is a name'],
    [`${TELEGRAM}, owners: ["*"] }`, 'channels.telegram.owners.0: "*" is not possible here'],
    [
      `${TELEGRAM} }\nsecond: { kind: telegram, token: "\${TOKEN}" }`,
      'channels.second.token: The channel "telegram" has the same one',
    ],
  ])('is refused with its place: %s', async (channels, sentence) => {
    const problems = await problemsOf(channels);
    expect(problems).toEqual([expect.stringContaining(sentence)]);
    expect(problems[0]).toMatch(/^plugboard\.yaml:[34]:/);
    expect(problems[0]).not.toContain(TOKENS.TOKEN);
  });

  it.each([
    `${TELEGRAM}, allow: ["*", 7], owners: ["8"] }\nsecond: { kind: telegram, token: "\${OTHER}" }`,
    `${TELEGRAM} }\nsecond: { kind: telegram, token: "\${TOKEN}", enabled: false }`,
    `${TELEGRAM} }\ndiscord: { token: "\${TOKEN}" }`,
    'webhook: { url: "http://127.0.0.1:1/", secret: "${TOKEN}", private: true, allow: ["@ada:example.org"] }',
  ])('is not seen in %s', async (channels) => {
    expect(await problemsOf(channels)).toEqual([]);
  });
});
