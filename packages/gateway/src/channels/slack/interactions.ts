import { reasonOf } from '@plugboard/protocol';
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../log.ts';
import type { Ingress, Press, Pressed } from '../channel.ts';
import type { SlackCalls } from './calls.ts';
import { resultInTime } from './deadline.ts';
import { isRecord, type Json, listAt, recordAt, textAt } from './json.ts';
import { TEXT_ACTION } from './message.ts';
import { placeOf, readPlace } from './place.ts';

/** Payload of an acknowledgement; undefined when empty. */
export type Acknowledgement = Json | undefined;

/** Handles `block_actions` and `view_submission`, which Slack does not redeliver. */
export interface Interactions {
  /** Resolves within `ACKNOWLEDGE_MS`, also when the gateway takes longer. */
  take(payload: Json): Promise<Acknowledgement>;
}

export interface InteractionsOptions {
  readonly calls: SlackCalls;
  readonly ingress: Ingress;
  readonly clock: Clock;
  readonly log: Logger;
  readonly channel: string;
}

const FORM = { block: 'answer', action: 'text', callback: 'plugboard-answer' } as const;

/** `private_metadata` of the form. */
interface FormOf {
  readonly place: string;
  readonly key: string;
}

const NOT_KEPT: Pressed = { accepted: false, message: 'Your answer was not kept. Try again.' };
const NO_FORM = 'The form could not be opened. Answer with a message instead.';

export function createInteractions(options: InteractionsOptions): Interactions {
  return {
    async take(payload) {
      if (payload.type === 'view_submission') return takeForm(options, payload);
      if (payload.type === 'block_actions') void takePress(options, payload);
      return undefined;
    },
  };
}

/** Not awaited by `take`: Slack shows a spinner until the acknowledgement. */
async function takePress(options: InteractionsOptions, payload: Json): Promise<void> {
  const container = recordAt(payload, 'container');
  const [channel, ts, root] = ['channel_id', 'message_ts', 'thread_ts'].map((name) =>
    textAt(container, name),
  );
  const action = textAt(listAt(payload, 'actions')[0] ?? {}, 'action_id');
  const person = personOf(payload);
  if (channel === undefined || action === undefined || person === undefined) return;
  const place = placeOf(channel, root === ts ? undefined : root);
  if (action.startsWith(TEXT_ACTION))
    return openForm(options, payload, { ...person, place, key: action.slice(TEXT_ACTION.length) });
  const press = { ...person, place, key: action };
  const pressed = await pressNow(options, press);
  if (!pressed.accepted) await tellPerson(options, press, pressed.message);
}

async function pressNow({ ingress, log, channel }: InteractionsOptions, press: Press): Promise<Pressed> {
  try {
    return await ingress.press(press);
  } catch (error) {
    log.warn(`An answer was not kept: ${reasonOf(error)}`, { code: 'press-not-kept', channel });
    return NOT_KEPT;
  }
}

function personOf(payload: Json): Pick<Press, 'sender' | 'senderName'> | undefined {
  const user = recordAt(payload, 'user');
  const sender = textAt(user, 'id');
  const senderName = textAt(user, 'name') ?? textAt(user, 'username');
  if (sender === undefined) return undefined;
  return { sender, ...(senderName === undefined ? {} : { senderName }) };
}

/** Calls `views.open` at once: a `trigger_id` expires after 3 s. */
async function openForm(options: InteractionsOptions, payload: Json, press: Press): Promise<void> {
  const metadata: FormOf = { place: press.place, key: press.key };
  const label = { type: 'plain_text', text: 'Your answer' };
  const element = { type: 'plain_text_input', action_id: FORM.action, multiline: true };
  try {
    await options.calls.call('views.open', {
      trigger_id: payload.trigger_id,
      view: {
        type: 'modal',
        callback_id: FORM.callback,
        private_metadata: JSON.stringify(metadata),
        title: { type: 'plain_text', text: 'Answer' },
        submit: { type: 'plain_text', text: 'Send' },
        blocks: [{ type: 'input', block_id: FORM.block, label, element }],
      },
    });
  } catch (error) {
    options.log.info(`A form was not opened: ${reasonOf(error)}`, {
      code: 'form-not-opened',
      channel: options.channel,
    });
    await tellPerson(options, press, NO_FORM);
  }
}

/** Keeps the form open with the reason when `press` refuses within `ACKNOWLEDGE_MS`. */
async function takeForm(options: InteractionsOptions, payload: Json): Promise<Acknowledgement> {
  const view = recordAt(payload, 'view');
  const form = readForm(textAt(view, 'private_metadata'));
  const person = personOf(payload);
  if (view.callback_id !== FORM.callback || form === undefined || person === undefined) return undefined;
  const values = recordAt(recordAt(view, 'state'), 'values');
  const text = textAt(recordAt(recordAt(values, FORM.block), FORM.action), 'value') ?? '';
  const press: Press = { ...person, ...form, text };
  const pressing = pressNow(options, press);
  const pressed = await resultInTime(options.clock, pressing);
  if (pressed === undefined) {
    void pressing.then(({ accepted, message }) =>
      accepted ? undefined : tellPerson(options, press, message),
    );
    return undefined;
  }
  if (pressed.accepted) return undefined;
  return { response_action: 'errors', errors: { [FORM.block]: pressed.message } };
}

function readForm(metadata = ''): FormOf | undefined {
  try {
    const form: unknown = JSON.parse(metadata);
    if (!isRecord(form)) return undefined;
    const [place, key] = [textAt(form, 'place'), textAt(form, 'key')];
    return place === undefined || key === undefined ? undefined : { place, key };
  } catch {
    return undefined;
  }
}

/** Posts an ephemeral message to one person. A failure is logged only. */
async function tellPerson(
  { calls, log, channel: name }: InteractionsOptions,
  { place, sender }: Press,
  text: string,
): Promise<void> {
  const { channel, thread } = readPlace(place);
  const where = { channel, ...(thread === undefined ? {} : { thread_ts: thread }) };
  await calls.call('chat.postEphemeral', { ...where, user: sender, text }).catch((error: unknown) =>
    log.info(`A person was not told what became of an answer: ${reasonOf(error)}`, {
      code: 'answer-not-told',
      channel: name,
    }),
  );
}
