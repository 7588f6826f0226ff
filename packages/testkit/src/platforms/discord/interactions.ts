import type { FakeReply } from '../fake-server.ts';
import { refusal } from './messages.ts';
import {
  channelOf,
  createSnowflake,
  dispatch,
  type FakeInteraction,
  type FakeRow,
  type FakeUser,
  type FakeWorld,
  setButtons,
} from './world.ts';

const EPHEMERAL = 64;

export interface InteractionOptions {
  /** 2: command, 3: press, 5: form. */
  readonly type: number;
  readonly user: FakeUser;
  readonly channelId: string;
  readonly messageId?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Adds an interaction and dispatches `INTERACTION_CREATE`. */
export function addInteraction(world: FakeWorld, options: InteractionOptions): FakeInteraction {
  const { type, user, channelId, messageId, data } = options;
  const id = createSnowflake(world);
  const token = `interaction-${id}`;
  const channel = channelOf(world, channelId);
  const message = channel.messages.find((one) => one.id === messageId);
  const interaction: FakeInteraction = {
    ...{ id, token, user, data, channelId, messageId },
    createdAt: Date.now(),
    answer: undefined,
    whispers: [],
  };
  world.interactions.set(id, interaction);
  dispatch(world, 'INTERACTION_CREATE', {
    ...{ id, token, type, data, version: 1 },
    application_id: world.applicationId,
    channel_id: channelId,
    channel: { id: channelId, type: channel.type, parent_id: channel.parentId },
    ...(channel.guildId === undefined ? { user } : { guild_id: channel.guildId, member: { user } }),
    ...(message === undefined ? {} : { message }),
  });
  return interaction;
}

/** `POST /interactions/ID/TOKEN/callback`: once, and within three seconds. */
export function answerInteraction(
  world: FakeWorld,
  id: string,
  token: string,
  fields: Record<string, unknown>,
): FakeReply {
  const interaction = world.interactions.get(id);
  const isLate = interaction !== undefined && Date.now() - interaction.createdAt > world.interactionMs;
  if (interaction === undefined || interaction.token !== token || (isLate && !interaction.answer))
    return refusal(404, 10_062, 'Unknown interaction');
  if (interaction.answer !== undefined)
    return refusal(400, 40_060, 'Interaction has already been acknowledged.');
  const problem = modalProblem(fields);
  if (problem !== undefined) return problem;
  const answer = fields as unknown as NonNullable<FakeInteraction['answer']>;
  interaction.answer = answer;
  if (answer.type === 4) whisper(interaction, answer.data ?? {});
  if (answer.type === 7) updateMessage(world, interaction, answer.data ?? {});
  return { status: 204 };
}

/** `/webhooks/APPLICATION/TOKEN`: POST adds a message, PATCH changes the first, both after an answer. */
export function followUp(
  world: FakeWorld,
  token: string,
  fields: Record<string, unknown>,
  method: string,
): FakeReply {
  const interaction = [...world.interactions.values()].find((one) => one.token === token);
  if (interaction?.answer === undefined) return refusal(404, 10_015, 'Unknown Webhook');
  whisper(interaction, method === 'PATCH' ? { ...fields, flags: EPHEMERAL } : fields);
  return { status: 200, body: { id: createSnowflake(world), content: fields.content } };
}

function whisper({ whispers }: FakeInteraction, { content, flags }: Record<string, unknown>): void {
  if ((Number(flags) & EPHEMERAL) !== 0) whispers.push(String(content));
}

function updateMessage(
  world: FakeWorld,
  { channelId, messageId }: FakeInteraction,
  { content, components }: Record<string, unknown>,
): void {
  const message = channelOf(world, channelId).messages.find(({ id }) => id === messageId);
  if (message === undefined) return;
  if (typeof content === 'string') message.content = content;
  if (Array.isArray(components)) setButtons(world, message, components as readonly FakeRow[]);
}

function modalProblem({ type, data }: Record<string, unknown>): FakeReply | undefined {
  if (type !== 9) return undefined;
  const { title, custom_id: id, components } = (data ?? {}) as Record<string, unknown>;
  const isRight =
    typeof title === 'string' &&
    title.length >= 1 &&
    title.length <= 45 &&
    typeof id === 'string' &&
    id.length <= 100 &&
    Array.isArray(components) &&
    components.length >= 1 &&
    components.length <= 5 &&
    components.every(({ label }: { label?: string }) => (label ?? '').length <= 45);
  return isRight ? undefined : refusal(400, 50_035, 'Invalid Form Body');
}
