import {
  type API,
  type APIInteraction,
  type APIMessageComponentInteraction,
  type APIModalSubmitInteraction,
  ComponentType,
  InteractionType,
  MessageFlags,
  TextInputStyle,
} from '@discordjs/core';
import { reasonOf } from '@plugboard/protocol';
import { type Clock, sleep } from '../../clock.ts';
import type { Logger } from '../../log.ts';
import type { Ingress, Pressed } from '../channel.ts';
import { FORM_PREFIX, readCustomId } from './custom-id.ts';
import { DiscordError } from './discord-error.ts';
import { shorten } from './outgoing.ts';

interface InteractionContext {
  readonly api: API;
  readonly ingress: Ingress;
  readonly channel: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Discord takes the first answer for 3 s: after this time a press is acknowledged before it is kept. */
const DEFER_MS = 1_500;

const LONGEST_TITLE = 45;
const LONGEST_ANSWER = 4_000;
const FIELD = 'answer';

const FAILED = 'That could not be kept. Please press the button again.';

/** Passes the press of a button, or a form, to `ingress.press`. Never rejects. */
export async function takePress(
  context: InteractionContext,
  interaction: APIMessageComponentInteraction | APIModalSubmitInteraction,
): Promise<void> {
  try {
    const { key, isForm } = readCustomId(interaction.data.custom_id);
    if (interaction.type === InteractionType.MessageComponent && isForm)
      await openForm(context, interaction, key);
    else await passOn(context, interaction, key);
  } catch (error) {
    noteFailure(context, error);
  }
}

/** A modal must be the first answer, so that `ingress.press` checks the person when the form is sent. */
async function openForm(
  { api, signal }: InteractionContext,
  { id, token, message }: APIMessageComponentInteraction,
  key: string,
): Promise<void> {
  const [title = ''] = message.content.replace(/^❓\s*/, '').split('\n');
  const component = {
    ...({ type: ComponentType.TextInput, custom_id: FIELD, style: TextInputStyle.Paragraph } as const),
    ...{ max_length: LONGEST_ANSWER, required: true },
  };
  const form = {
    custom_id: `${FORM_PREFIX}${key}`,
    title: shorten(title.replace(/[*_`~\\]/g, '').trim(), LONGEST_TITLE) || 'Answer',
    components: [{ type: ComponentType.Label as const, label: 'Answer', component }],
  };
  await api.interactions.createModal(id, token, form, { signal });
}

async function passOn(
  context: InteractionContext,
  interaction: APIMessageComponentInteraction | APIModalSubmitInteraction,
  key: string,
): Promise<void> {
  const { api, ingress, clock, signal } = context;
  const { id, token, application_id: applicationId } = interaction;
  const text = interaction.type === InteractionType.ModalSubmit ? readField(interaction) : undefined;
  const { sender, senderName, place } = whoAndWhere(interaction);
  const pressing = ingress
    .press({ place, sender, senderName, key, ...(text === undefined ? {} : { text }) })
    .catch((error: unknown): Pressed => {
      noteFailure(context, error);
      return { accepted: false, message: FAILED };
    });
  const isEarly = await isWithin(clock, pressing, signal);
  if (!isEarly) await api.interactions.deferMessageUpdate(id, token, {}, { signal });
  const { accepted, message } = await pressing;
  const told = { content: message, flags: MessageFlags.Ephemeral };
  // The gateway edits the message of an answered question, so that `deferMessageUpdate` is enough.
  if (accepted && isEarly) await api.interactions.deferMessageUpdate(id, token, {}, { signal });
  else if (isEarly) await api.interactions.reply(id, token, told, { signal });
  else if (!accepted) await api.interactions.followUp(applicationId, token, told, { signal });
}

function readField({ data }: APIModalSubmitInteraction): string {
  for (const part of data.components) {
    const fields =
      part.type === ComponentType.Label ? [part.component] : 'components' in part ? part.components : [];
    for (const field of fields) if (field.custom_id === FIELD && 'value' in field) return String(field.value);
  }
  return '';
}

/** The person and the channel of an interaction. */
export function whoAndWhere({ member, user, channel, channel_id: channelId }: APIInteraction) {
  const person = member?.user ?? user;
  return {
    place: channel?.id ?? channelId ?? '',
    sender: person?.id ?? '',
    senderName: member?.nick ?? person?.global_name ?? person?.username ?? '',
  };
}

/** Confirms a command to the person alone, once `kept` resolves. The gateway sends the reply through `send`. */
export async function confirmCommand(
  context: InteractionContext,
  { id, token, application_id: applicationId }: APIInteraction,
  text: string,
  kept: Promise<void>,
): Promise<void> {
  const { api, clock, signal } = context;
  const content = `\`${text}\``;
  try {
    const flags = MessageFlags.Ephemeral;
    if (await isWithin(clock, kept, signal))
      return void (await api.interactions.reply(id, token, { content, flags }, { signal }));
    await api.interactions.defer(id, token, { flags }, { signal });
    await kept;
    await api.interactions.editReply(applicationId, token, { content }, '@original', { signal });
  } catch (error) {
    noteFailure(context, error);
  }
}

/** Whether `work` settles within `DEFER_MS`. */
async function isWithin(clock: Clock, work: Promise<unknown>, signal: AbortSignal): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(clock, DEFER_MS, AbortSignal.any([timer.signal, signal])).then(() => false);
  const early = await Promise.race([work.then(() => true), late]);
  timer.abort();
  return early;
}

/** 10062 and 10015: more than 3 s have passed. 40060: it was answered before a restart. */
const TOO_LATE = new Set([10_062, 40_060, 10_015]);

function noteFailure({ log, channel, signal }: InteractionContext, error: unknown): void {
  if (signal.aborted) return;
  if (error instanceof DiscordError && TOO_LATE.has(error.code))
    log.info(`An interaction was answered too late: ${error.message}`, {
      ...{ code: 'interaction-too-late', channel },
    });
  else
    log.warn(`An interaction was not answered: ${reasonOf(error)}`, {
      ...{ code: 'interaction-not-answered', channel },
    });
}
