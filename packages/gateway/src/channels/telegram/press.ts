import type { CallbackQuery, Message } from 'grammy/types';
import { type Clock, sleep } from '../../clock.ts';
import type { Logger } from '../../log.ts';
import type { Ingress, Pressed } from '../channel.ts';
import type { Client } from './client.ts';
import { placeIn } from './inbound.ts';

/** The button shows a spinner until `answerCallbackQuery`. A press that takes longer than 3 s is answered without text. */
const ANSWER_MS = 3_000;

/** Longest answer to a press. */
const ANSWER_LENGTH = 200;

const NOT_HERE: Pressed = { accepted: false, message: 'This button does nothing any more.' };

export interface PressOptions {
  /** Name of the channel. */
  readonly name: string;
  readonly ingress: Ingress;
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Calls `ingress.press` and `answerCallbackQuery`. Rejects when the press was not stored. */
export async function answerPress(options: PressOptions, query: CallbackQuery): Promise<void> {
  const { ingress, clock } = options;
  const pressed = press(ingress, query);
  const waiting = new AbortController();
  const late = sleep(clock, ANSWER_MS, waiting.signal).then(() => undefined);
  const first = await Promise.race([pressed.catch(() => undefined), late]);
  waiting.abort();
  await Promise.all([pressed, answer(options, query.id, first)]);
}

async function press(ingress: Ingress, { data, from, message }: CallbackQuery): Promise<Pressed> {
  if (data === undefined || message === undefined) return NOT_HERE;
  const senderName = [from.first_name, from.last_name].filter(Boolean).join(' ');
  return ingress.press({
    place: placeIn(message as Message),
    sender: String(from.id),
    senderName,
    key: data,
  });
}

/** `query is too old` is harmless: only the spinner of the button ends later. */
async function answer(
  { client, log, name }: PressOptions,
  id: string,
  pressed: Pressed | undefined,
): Promise<void> {
  const text = pressed === undefined ? {} : { text: shorten(pressed.message), show_alert: !pressed.accepted };
  try {
    await client.call((raw, ending) => raw.answerCallbackQuery({ callback_query_id: id, ...text }, ending));
  } catch (error) {
    log.debug(`A press of a button was not answered: ${String(error)}`, {
      code: 'telegram-press-unanswered',
      channel: name,
    });
  }
}

function shorten(text: string): string {
  return text.length <= ANSWER_LENGTH ? text : `${text.slice(0, ANSWER_LENGTH - 1).toWellFormed()}…`;
}
