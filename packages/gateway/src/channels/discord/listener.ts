import {
  type API,
  type APIApplicationCommandInteraction,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
  InteractionType,
} from '@discordjs/core';
import { reasonOf } from '@plugboard/protocol';
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../log.ts';
import { type Inbound, type Ingress, SendError } from '../channel.ts';
import { createDownloads, type Downloads } from './attachments.ts';
import { ARGUMENT } from './commands.ts';
import { type ChannelFacts, createGuilds, type Guilds, isThread } from './guilds.ts';
import { readHistory } from './history.ts';
import { type GivenMessage, hearMessage, isFromPerson } from './inbound.ts';
import { createIntake, type Intake } from './intake.ts';
import { confirmCommand, takePress, whoAndWhere } from './interactions.ts';
import type { Memory } from './memory.ts';
import type { SentLog } from './sent-log.ts';

/** Passes messages, commands and presses to the `Ingress`. */
export interface Listener {
  /** Calls `kept` when the event is on the disk, or needs not be. */
  take(payload: GatewayDispatchPayload, kept: () => void): void;
  /** Takes in the history of all `Memory.positions`. */
  fillGaps(): void;
  /** Whether `fillGaps` is under way: a process that resumes this session would not fill them. */
  readonly isFilling: boolean;
}

interface ListenerOptions {
  readonly api: API;
  readonly ingress: Ingress;
  readonly botId: string;
  readonly channel: string;
  readonly mediaBytes: number;
  readonly memory: Memory;
  readonly sent: SentLog;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborted when the channel stops. */
  readonly signal: AbortSignal;
}

interface State extends ListenerOptions {
  readonly guilds: Guilds;
  readonly intake: Intake;
  /** Ids of messages that are kept or under way: a message can come as an event and from the history. */
  readonly taken: Set<string>;
  readonly lanes: Promise<unknown>[];
  filling: number;
}

const MOST_TAKEN = 10_000;

/** Concurrent calls of `readHistory`. */
const LANES = 4;

export function createListener(options: ListenerOptions): Listener {
  const state: State = {
    ...options,
    guilds: createGuilds(() => options.api, options.botId),
    intake: createIntake(options),
    taken: new Set(),
    lanes: Array.from({ length: LANES }, () => Promise.resolve()),
    filling: 0,
  };
  return {
    take(payload, kept) {
      try {
        takeEvent(state, payload, kept);
      } catch (error) {
        // An event of unknown shape must not block `Sequence.kept`.
        noteUnreadable(state, error);
        kept();
      }
    },
    fillGaps: () => fillGaps(state),
    get isFilling() {
      return state.filling > 0;
    },
  };
}

function noteUnreadable({ log, channel }: State, error: unknown): void {
  log.warn(`An event of a channel was left out: ${reasonOf(error)}`, {
    ...{ code: 'channel-event-unreadable', channel },
  });
}

function takeEvent(state: State, payload: GatewayDispatchPayload, kept: () => void): void {
  state.guilds.take(payload);
  if (payload.t === GatewayDispatchEvents.MessageCreate)
    return takeMessage(state, payload.d as GivenMessage, kept);
  if (payload.t !== GatewayDispatchEvents.InteractionCreate) return kept();
  const { d: interaction } = payload;
  if (interaction.type === InteractionType.ApplicationCommand) return takeCommand(state, interaction, kept);
  // An interaction can be answered for 3 s: a repetition after a restart would be useless.
  kept();
  if (
    interaction.type === InteractionType.MessageComponent ||
    interaction.type === InteractionType.ModalSubmit
  )
    void takePress(state, interaction);
}

function takeMessage(state: State, message: GivenMessage, kept: () => void): void {
  requireIds(message);
  const { id, channel_id: channelId, author, nonce } = message;
  if (author?.id === state.botId && nonce !== undefined) state.sent.noteMessage(String(nonce), id);
  if (!isFromPerson(message) || !markTaken(state, id)) return kept();
  const keep = createKeeping(state, message);
  state.intake.add(channelId, keep, () => {
    state.memory.noteKept(channelId, id);
    kept();
  });
}

/** Throws for malformed ids: several people or messages must not become one. */
function requireIds({ id, channel_id: channelId, author }: GivenMessage): void {
  if (![id, channelId, author?.id].every((one) => /^\d{1,20}$/.test(String(one))))
    throw new TypeError('A message has malformed ids.');
}

/** Whether it is new. */
function markTaken({ taken }: State, id: string): boolean {
  if (taken.has(id)) return false;
  taken.add(id);
  for (const oldest of taken) {
    if (taken.size <= MOST_TAKEN) break;
    taken.delete(oldest);
  }
  return true;
}

/** Passes one message to `receive`, each time with fresh streams of its files. */
function createKeeping(state: State, message: GivenMessage, known?: ChannelFacts): () => Promise<void> {
  let downloads: Downloads | undefined;
  return async () => {
    downloads ??= await hear(state, message, known ?? (await factsFor(state, message)));
    if (downloads !== undefined) await state.ingress.receive(downloads.next());
  };
}

async function hear(
  state: State,
  message: GivenMessage,
  facts: ChannelFacts,
): Promise<Downloads | undefined> {
  const { guilds, botId, mediaBytes, signal } = state;
  const mentionsRole = facts.guildId !== undefined && (message.mention_roles ?? []).length > 0;
  const roleId = mentionsRole ? await guilds.roleOf(facts.guildId) : undefined;
  try {
    const heard = hearMessage(message, { botId, facts, roleId });
    return heard === undefined ? undefined : createDownloads(heard, { mediaBytes, signal });
  } catch (error) {
    noteUnreadable(state, error);
    return undefined;
  }
}

async function factsFor({ guilds }: State, message: GivenMessage): Promise<ChannelFacts> {
  const { guild_id: guildId, channel_type: type, channel_id: channelId } = message;
  const plain = { guildId, parentId: undefined };
  if (guildId === undefined || (type !== undefined && !isThread(type))) return plain;
  try {
    return { ...(await guilds.factsOf(channelId)), guildId };
  } catch (error) {
    if (error instanceof SendError && error.problem === 'never') return plain;
    throw error;
  }
}

/** Admits a command of the menu as a message `/name argument`. */
function takeCommand(state: State, interaction: APIApplicationCommandInteraction, kept: () => void): void {
  const { place, ...who } = whoAndWhere(interaction);
  if (![place, who.sender, interaction.id].every((one) => /^\d{1,20}$/.test(String(one))))
    throw new TypeError('A command has malformed ids.');
  const { data, id: messageId, guild_id: guildId, channel } = interaction;
  if (data.type !== ApplicationCommandType.ChatInput || !markTaken(state, messageId)) return kept();
  const argument = (data.options ?? []).find(({ name }) => name === ARGUMENT);
  const given = argument?.type === ApplicationCommandOptionType.String ? ` ${argument.value}` : '';
  const text = `/${data.name}${given}`;
  const parent =
    isThread(channel?.type) && channel !== undefined && 'parent_id' in channel ? channel.parent_id : null;
  const group = { place: parent ?? place, addressed: true };
  const inbound: Inbound = { ...who, place, messageId, text, ...(guildId === undefined ? {} : { group }) };
  const { promise, resolve } = Promise.withResolvers<void>();
  void confirmCommand(state, interaction, text, promise);
  state.intake.add(
    place,
    async () => void (await state.ingress.receive(inbound)),
    () => {
      resolve();
      kept();
    },
  );
}

function fillGaps(state: State): void {
  const { memory, intake } = state;
  for (const [channelId, last] of [...memory.positions]) {
    state.filling += 1;
    const lane = state.filling % LANES;
    const job = async (): Promise<void> => {
      const turn = (state.lanes[lane] ?? Promise.resolve()).then(() => fillGap(state, channelId, last));
      state.lanes[lane] = turn.catch(() => {});
      await turn;
    };
    intake.add(channelId, job, () => {
      state.filling -= 1;
      memory.touch();
    });
  }
}

/** Takes the messages of a channel in that came after `last`, in order. */
async function fillGap(state: State, channelId: string, last: string): Promise<void> {
  const { api, clock, signal, memory, guilds, taken } = state;
  const messages = await readHistory(api, channelId, { after: last, now: clock.date(), signal });
  if (messages === undefined) return void memory.positions.delete(channelId);
  const missed = messages.filter(isFromPerson);
  if (missed.length === 0) return;
  const facts = await guilds.factsOf(channelId);
  for (const message of missed) {
    // Before `receive`: its event may come meanwhile.
    if (!markTaken(state, message.id)) continue;
    await createKeeping(state, message, facts)().catch((error: unknown) => {
      taken.delete(message.id);
      throw error;
    });
    memory.noteKept(channelId, message.id);
  }
}
