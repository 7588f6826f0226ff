import { until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import type { Ingress, Pressed } from '../../../src/channels/channel.ts';
import { calling, openTelegram, refusal, type TelegramBench } from './telegram-bench.ts';

const BUTTONS = [
  { key: 'q:0', label: 'Allow' },
  { key: 'q:1', label: 'Deny' },
];

/** A channel in whose chat a question was asked. */
async function ask(
  press: Ingress['press'],
  place?: string,
): Promise<TelegramBench & { readonly question: string }> {
  const bench = await openTelegram({
    prepare: (platform) => platform.addGroup({ id: -1_001, is_forum: true }),
    ingress: { press },
  });
  const { platformId = '' } = await bench.send({ kind: 'question', text: 'May I?', buttons: BUTTONS }, place);
  return { ...bench, question: platformId };
}

describe('a button that is pressed on Telegram', () => {
  it('is passed on with its key, its place and the person, who reads the answer', async () => {
    const presses: unknown[] = [];
    const press = async (one: unknown): Promise<Pressed> => {
      presses.push(one);
      return { accepted: true, message: 'Allow' };
    };
    const { platform, question } = await ask(press, '-1001/4');
    platform.press(question, 'Allow', { person: '9' });
    await until(() => platform.world.answers.length === 1, 'the answer');
    expect(presses).toEqual([{ place: '-1001/4', sender: '9', senderName: 'Person 9', key: 'q:0' }]);
    expect(platform.world.answers).toMatchObject([{ text: 'Allow', alert: false }]);
  });

  it('by somebody who may not is answered in a window, cut to what Telegram shows', async () => {
    const { platform, question } = await ask(async () => ({ accepted: false, message: 'No. '.repeat(100) }));
    platform.press(question, 'Deny');
    await until(() => platform.world.answers.length === 1, 'the answer');
    expect(platform.world.answers).toMatchObject([
      { text: expect.stringMatching(/^No\. .{195}…$/), alert: true },
    ]);
  });

  it('is answered while a message of the same chat is still being kept', async () => {
    const kept = Promise.withResolvers<void>();
    const bench = await openTelegram({ take: () => kept.promise });
    const { platformId = '' } = await bench.send({ kind: 'question', text: 'May I?', buttons: BUTTONS });
    bench.platform.say('slow');
    bench.platform.press(platformId, 'Allow');
    await until(() => bench.platform.world.answers.length === 1, 'the answer');
    expect(bench.ingress.pressed).toHaveLength(1);
    kept.resolve();
  });

  it('is not lost when it could not be kept at once', async () => {
    let tries = 0;
    const press = async (): Promise<Pressed> => {
      tries += 1;
      if (tries < 2) throw new Error('The disk is full.');
      return { accepted: true, message: 'Allow' };
    };
    const { platform, question, calls } = await ask(press);
    platform.press(question, 'Allow');
    await until(() => tries === 2, 'the second try');
    await until(() => calls('getUpdates').some(({ offset }) => offset !== undefined), 'Telegram to know');
    expect(platform.world.answers).toHaveLength(1);
  });

  it('too long ago harms nothing when it is answered', async () => {
    const { platform, question, log } = await ask(async () => ({ accepted: false, message: 'Too late.' }));
    platform.server.trouble(
      refusal(400, 'Bad Request: query is too old and response timeout expired or query ID is invalid'),
      calling('answerCallbackQuery'),
    );
    platform.press(question, 'Allow');
    const name = platform.say('next');
    await until(() => platform.isAcknowledged(name), 'Telegram to know');
    expect(log.codes).toEqual(['telegram-press-unanswered']);
  });

  it('of a message that bots can no longer see, or of none, is answered', async () => {
    const pressed: string[] = [];
    const press = async ({ place }: { readonly place: string }): Promise<Pressed> => {
      pressed.push(place);
      return { accepted: false, message: 'This question is gone.' };
    };
    const { platform } = await ask(press);
    const base = { from: { id: 9, is_bot: false, first_name: 'Bob' }, chat_instance: '1', data: 'q:0' };
    for (const id of ['a', 'b']) platform.world.presses.set(id, performance.now());
    platform.update({
      callback_query: { ...base, id: 'a', message: { chat: { id: 7_001 }, message_id: 3, date: 0 } },
    });
    platform.update({ callback_query: { ...base, id: 'b', inline_message_id: 'x' } });
    await until(() => platform.world.answers.length === 2, 'both answers');
    expect(pressed).toEqual(['7001']);
  });
});
