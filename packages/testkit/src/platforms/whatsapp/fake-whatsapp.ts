import type { FakePlatform, Speaker } from '../fake-platform.ts';
import { startFakeServer } from '../fake-server.ts';
import { answerGraph } from './graph-api.ts';
import { createWebhooks, type Webhooks } from './webhooks.ts';
import {
  ACCOUNT,
  APP_SECRET,
  createWorld,
  type FakeFile,
  PHONE,
  payloadOf,
  TOKEN,
  VERIFY_TOKEN,
  type WhatsappWorld,
} from './world.ts';

export interface FakeWhatsapp extends FakePlatform {
  readonly webhooks: Webhooks;
  /** Delivers messages in one webhook, as the platform batches them. Returns their ids. */
  batch(messages: readonly object[]): readonly string[];
  /** A person sends a message with a file; `type` is one of the platform. */
  sendFile(type: string, file: FakeFile, from?: Speaker): string;
  /** From now on, messages to this place are refused unless they are templates. */
  closeWindow(place: string): void;
  /** States that are reported of each accepted message, in this order. */
  statuses: WhatsappWorld['statuses'];
  /** Messages that were marked as read with a typing sign. */
  readonly typing: readonly string[];
  /** Whether the app gets webhooks of the account. */
  readonly isSubscribed: boolean;
  /** Addresses of files that were given out so far are no longer good. */
  expireAddresses(): void;
}

export interface FakeWhatsappOptions {
  /** People have no number that the app could see. */
  readonly hidesNumbers?: boolean;
}

const PERSON = '4915112345678';
const USER_ID = 'DE.13491208655302741918';

/** Starts a platform that speaks the Cloud API and posts signed webhooks, which it repeats until they are acknowledged. */
export async function startFakeWhatsapp({
  hidesNumbers = false,
}: FakeWhatsappOptions = {}): Promise<FakeWhatsapp> {
  const world = createWorld();
  const webhooks = createWebhooks(APP_SECRET);
  const server = await startFakeServer({
    answer: (call) => answerGraph(world, webhooks, () => server.url, call),
  });
  const person = hidesNumbers ? USER_ID : PERSON;
  return {
    server,
    ...peopleOf(world, webhooks, person),
    settings: {
      ...{ api: server.url, phone_number_id: PHONE, business_account: ACCOUNT },
      ...{ token: TOKEN, app_secret: APP_SECRET, verify_token: VERIFY_TOKEN },
    },
    typing: world.typing,
    get statuses() {
      return world.statuses;
    },
    set statuses(statuses) {
      world.statuses = statuses;
    },
    get isSubscribed() {
      return world.isSubscribed;
    },
    shown: (place = person) =>
      world.messages
        .filter((message) => message.place === place)
        .map(({ platformId, text, files, buttons }) => ({ platformId, text, files, buttons })),
    isAcknowledged: (id) => world.acknowledged.has(id),
    closeWindow: (place) => void world.closed.add(place),
    expireAddresses() {
      world.addresses += 1;
    },
    async [Symbol.asyncDispose]() {
      webhooks.stop();
      await server[Symbol.asyncDispose]();
    },
  };
}

type People = Pick<FakeWhatsapp, 'webhooks' | 'place' | 'person' | 'batch' | 'say' | 'sendFile' | 'press'>;

function peopleOf(world: WhatsappWorld, webhooks: Webhooks, person: string): People {
  const from = (speaker: Speaker | undefined): object => senderFields(person, speaker);
  const batch = (given: readonly object[]): string[] => {
    const named = given.map((one) => ({ id: world.nextMessageId(), timestamp: '1700000000', ...one }));
    for (const { id } of named) world.inbound.add(id);
    void webhooks.deliver(payloadOf({ contacts: named.map(contactOf), messages: named })).then(() => {
      for (const { id } of named) world.acknowledged.add(id);
    });
    return named.map(({ id }) => id);
  };
  const sayOne = (message: object): string => batch([message])[0] ?? '';
  return {
    ...{ webhooks, place: person, person, batch },
    say: (text, speaker) => sayOne({ ...from(speaker), type: 'text', text: { body: text } }),
    sendFile(type, file, speaker) {
      const id = `${5_000 + world.files.size}`;
      world.files.set(id, file);
      const { name, mime, caption, voice } = file;
      const content = { id, mime_type: mime, filename: name, caption, voice };
      return sayOne({ ...from(speaker), type, [type]: content });
    },
    press(platformId, label, speaker) {
      const message = world.messages.find((one) => one.platformId === platformId);
      const button = message?.accepted.buttons.find(({ title }) => title === label);
      if (button === undefined) throw new Error(`There is no button "${label}".`);
      const interactive = { type: 'button_reply', button_reply: button };
      sayOne({ ...from(speaker), type: 'interactive', context: { id: platformId }, interactive });
    },
  };
}

/** A number where the place is one, else a user id; groups are named beside the sender. */
function senderFields(person: string, { place, person: who = place ?? person }: Speaker = {}): object {
  return {
    ...(/^\d+$/.test(who) ? { from: who } : { from_user_id: who }),
    ...(place?.startsWith('group:') ? { group_id: place.slice('group:'.length) } : {}),
  };
}

function contactOf(message: object): object {
  const { from, from_user_id: userId } = message as { from?: string; from_user_id?: string };
  return {
    profile: { name: 'Ada' },
    ...(from === undefined ? {} : { wa_id: from }),
    ...(userId === undefined ? {} : { user_id: userId }),
  };
}
