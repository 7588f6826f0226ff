import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CODER, channelFields, onTestEnd, type ShownMessage, startedAs, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { type Home, home, type Up } from '../gateway.ts';
import { ASKED_PLATFORMS, type AskedPlatform, FORM_PLATFORMS } from './asked-platforms.ts';

type Kind = keyof typeof ASKED_PLATFORMS;

const GONE = 'The agent that asked is gone.';

/** A place for gateways with one channel, whose agent asks before it goes on. */
function homeOf(kind: Kind, { fake }: Pick<AskedPlatform, 'fake'>, dialect = 'agentproc/v4'): Home {
  const place = home();
  onTestEnd(() => place[Symbol.asyncDispose]());
  const agent = { dialect, command: startedAs(dialect, CODER), approvals: { default: 'ask' } };
  const channel = { ...channelFields(kind, fake, place.path), allow: ['*'] };
  // JSON is YAML.
  // The turn of a question lasts until it is answered.
  const limits = { grace_secs: 1 };
  place.write(JSON.stringify({ agents: { coder: agent }, channels: { [kind]: channel }, limits }));
  return place;
}

async function upAndReady(place: Home): Promise<Up> {
  const up = await place.up();
  const isReady = async (): Promise<boolean> => {
    const { json } = await up.api<{ channels: { state: string }[] }>('GET', '/api/channels');
    return json.channels.every(({ state }) => state === 'ready');
  };
  await until(isReady, 'the channel to be connected', 20_000);
  return up;
}

function hasSession({ data }: Home): boolean {
  const files = readdirSync(data, { recursive: true, encoding: 'utf8' });
  const found = files.find((file) => basename(file) === 'session.json');
  return found !== undefined && readFileSync(join(data, found), 'utf8').includes('"resumeUrl"');
}

/** The message of the question that `text` makes the agent ask, once the gateway has stored its id. */
async function questionAfter(
  { fake }: Pick<AskedPlatform, 'fake'>,
  up: Up,
  text: string,
): Promise<ShownMessage> {
  fake.say(text);
  const isStored = async (): Promise<boolean> => {
    const { json } = await up.api<{ deliveries: unknown[] }>('GET', '/api/deliveries?state=sent');
    return json.deliveries.length === 1;
  };
  await until(isStored, 'the question to be sent', 20_000);
  const found = fake.shown().find(({ buttons }) => buttons.length > 0);
  if (found === undefined) throw new Error('There is no question.');
  return found;
}

async function expectQuestionOver(
  { fake }: Pick<AskedPlatform, 'fake'>,
  platformId: string,
  reason = GONE,
): Promise<void> {
  const find = () => fake.shown().find((message) => message.platformId === platformId);
  await until(() => find()?.buttons.length === 0, 'the buttons to go', 20_000);
  expect(find()?.text).toContain(`⌛ ${reason}`);
}

async function expectAnswered({ fake }: Pick<AskedPlatform, 'fake'>): Promise<void> {
  fake.say('hello');
  await until(() => fake.shown().some(({ text }) => text === 'hello'), 'an answer', 20_000);
}

describe.concurrent.each(['slack', 'discord', 'telegram'] as const)(
  'on %s, a question of a gateway that ended',
  (kind) => {
    it.each([
      ['SIGKILL', GONE],
      ['SIGTERM', 'The agent waits for the answer no longer.'],
    ] as const)(
      'by %s is shown as over after the next start, and a late press is told so to the person alone',
      async (signal, reason) => {
        const asked = await ASKED_PLATFORMS[kind]();
        const place = homeOf(kind, asked);
        const first = await upAndReady(place);
        const { platformId } = await questionAfter(asked, first, 'ask');
        await first.end(signal);
        await upAndReady(place);
        await expectQuestionOver(asked, platformId, reason);
        asked.fake.press(platformId, 'Allow');
        await until(() => asked.told().length === 1, 'the reason', 20_000);
        expect(asked.told()).toEqual([reason]);
        await expectAnswered(asked);
      },
    );

    it('and whose button is pressed meanwhile is not answered by that', async () => {
      const asked = await ASKED_PLATFORMS[kind]();
      const place = homeOf(kind, asked);
      const first = await upAndReady(place);
      const { platformId } = await questionAfter(asked, first, 'ask');
      // Discord hands the press on to a session that is resumed, which the gateway stores within a second.
      if (kind === 'discord') await until(() => hasSession(place), 'the session to be stored', 20_000);
      await first.end('SIGKILL');
      asked.fake.press(platformId, 'Allow');
      await upAndReady(place);
      await until(() => asked.told().length === 1, 'the reason', 20_000);
      expect(asked.told()).toEqual([GONE]);
      await expectQuestionOver(asked, platformId);
      await expectAnswered(asked);
      expect(asked.fake.shown().map(({ text }) => text)).not.toContain('It was allowed.');
    });
  },
);

describe.concurrent.each(['slack', 'discord'] as const)(
  'on %s, a question of a gateway that was killed',
  (kind) => {
    it('and whose form is sent after the next start tells the person so', async () => {
      const asked = await FORM_PLATFORMS[kind]();
      const place = homeOf(kind, asked, 'nuum');
      const first = await upAndReady(place);
      const { platformId } = await questionAfter(asked, first, 'name');
      asked.openForm(platformId);
      await until(asked.isFormOpen, 'the form', 20_000);
      await first.end('SIGKILL');
      await upAndReady(place);
      await expectQuestionOver(asked, platformId);
      asked.submit('Emma');
      await until(() => asked.told().length === 1, 'the reason', 20_000);
      expect(asked.told()).toEqual([GONE]);
      await expectAnswered(asked);
    });
  },
);
