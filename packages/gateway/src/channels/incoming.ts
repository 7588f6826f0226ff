import type { Attachment } from '@plugboard/host';
import type { NewDelivery } from '@plugboard/store';
import type { ChannelAccess } from '../access/access.ts';
import { type ChannelAnswers, createChannelAnswers } from '../asks/channel-answers.ts';
import type { Clock } from '../clock.ts';
import type { PlatformConfig } from '../config/config.ts';
import { planDeliveries } from '../delivery/plan.ts';
import { MediaTooLargeError } from '../media/media-store.ts';
import type { Engine } from '../sessions/engine.ts';
import { receive } from '../sessions/receive.ts';
import {
  type Channel,
  FileUnavailableError,
  type Inbound,
  type IncomingFile,
  type Ingress,
  type Received,
  type Taken,
} from './channel.ts';
import { platformPlace, sessionPlace } from './places.ts';
import { createRefusalLimit } from './refusal-limit.ts';

export interface IngressOptions {
  readonly engine: Engine;
  readonly channel: Channel;
  readonly access: ChannelAccess;
  /** Settings of the channel, read for each message. */
  readonly settings: () => Pick<PlatformConfig, 'sessions' | 'agent' | 'agents'>;
  readonly clock: Clock;
  readonly fail: (reason: string) => void;
  /** Called for each message of a person who may talk. */
  readonly onMessage: () => void;
}

/** Admits messages and answers of a channel, and answers refusals. */
export function createIngress(options: IngressOptions): Ingress {
  const { engine, channel, clock, fail } = options;
  const answers = createChannelAnswers(options);
  const inside = { ...options, answers, isQuiet: createRefusalLimit(clock) };
  return {
    receive: (message) => takeMessage(inside, message),
    press: answers.press,
    async report(deliveryId, outcome) {
      if (!(await engine.store.outbox.report(deliveryId, outcome))) return;
      const { name: channelName } = channel;
      const fields = { delivery: deliveryId, channel: channelName };
      if (outcome.state === 'sent')
        engine.log.info('The platform says that a delivery arrived.', {
          ...fields,
          code: 'delivery-confirmed',
        });
      else
        engine.log.warn(`The platform says that a delivery failed: ${outcome.problem}`, {
          ...fields,
          code: 'delivery-failed-later',
        });
    },
    async renameSender(from, to) {
      await engine.store.people.renameSender(channel.name, from, to);
    },
    async movePlace(from, to) {
      await engine.store.sessions.movePlace(channel.name, from, to);
      engine.wakeDelivery(channel.name);
    },
    async note(sessionId, id, text) {
      const noted = await engine.store.log.note(sessionId, { id, event: { type: 'notice', text } });
      if (!noted.duplicate) engine.feed.publish(sessionId, [noted.event]);
      return noted.event.number;
    },
    fail,
  };
}

interface Inside extends IngressOptions {
  readonly answers: ChannelAnswers;
  readonly isQuiet: (place: string) => boolean;
}

/** Order: may the sender talk, does the message answer a question, is there budget left; then it is admitted. */
async function takeMessage(inside: Inside, message: Inbound): Promise<Taken> {
  const { engine, channel, access, settings, answers, isQuiet } = inside;
  const turnedAway = await access.check(message);
  if (turnedAway !== undefined) return turnedAway;
  inside.onMessage();
  const { sessions, agent, agents } = settings();
  const inbound = {
    ...(agent === undefined ? {} : { agent }),
    ...(agents === undefined ? {} : { mayCall: (name: string) => agents.includes(name) }),
    ...message,
    mayPair: access.mayPair(message.sender),
    place: sessionPlace(message, sessions),
  };
  if (await answersQuestion(engine, channel, answers, { ...message, ...inbound })) return { kind: 'answer' };
  const overBudget = await takeBudget(inside, message);
  if (overBudget !== undefined) return overBudget;
  const kept = await withFiles(engine, channel, inbound);
  const received = await receiveOnce(engine, channel, kept);
  if (received.kind !== 'message' || received.duplicate) await access.giveBack(message);
  if (!channel.limits.readsLog) await answerRefusal(engine, channel, inbound, received, isQuiet);
  return received;
}

async function answersQuestion(
  { asks, store, agents, peers }: Engine,
  { name: channel }: Channel,
  answers: ChannelAnswers,
  message: Inbound,
): Promise<boolean> {
  const { place, agent = agents.defaultName } = message;
  if ((asks.size === 0 && !peers.exist) || message.text === '') return false;
  const { id } = await store.sessions.open({ channel, place, agent });
  return answers.take({ ...message, place: platformPlace(place) }, id);
}

/** The refusal of a person who has used up the day. */
async function takeBudget({ access }: Inside, message: Inbound): Promise<Taken | undefined> {
  const problem = await access.takeBudget(message);
  return problem === undefined ? undefined : overBudget(problem);
}

function overBudget(message: string): Taken {
  return { message, code: 'over-budget', kind: 'refused' };
}

/** The session may be closed between look-up and admission; the message then belongs to the next session. */
async function receiveOnce(engine: Engine, channel: Channel, message: Inbound): Promise<Received> {
  const tell = channel.limits.readsLog ? undefined : (text: string) => noticesFor(channel, message, text);
  const received = await receive(engine, channel.name, message, tell);
  const closed = received.kind === 'refused' && received.code === 'closed-session';
  return closed ? receive(engine, channel.name, message, tell) : received;
}

/** Sends refusals through the outbox. Channels with `readsLog` return them to the client instead. */
async function answerRefusal(
  engine: Engine,
  channel: Channel,
  message: Inbound,
  received: Received,
  isQuiet: (place: string) => boolean,
): Promise<void> {
  if (received.kind === 'message') return;
  // The reply was added to the outbox in the commit of the command.
  if (received.kind === 'command') return engine.wakeDelivery(channel.name);
  // The rejection makes the platform redeliver the message after the restart.
  if (received.code === 'stopping') throw new Error(received.message);
  const { name: channelName } = channel;
  if (received.code === 'unknown-agent')
    return engine.log.error(`A message was refused: ${received.message}`, {
      code: 'message-for-unknown-agent',
      channel: channelName,
    });
  // `reused` is logged for the operator: users do not see message ids.
  if (received.code === 'reused')
    return engine.log.warn(`A message was refused: ${received.message}`, {
      code: 'message-id-reused',
      channel: channelName,
    });
  if (isQuiet(message.place)) return;
  const agent = message.agent ?? engine.agents.defaultName;
  const { id } = await engine.store.sessions.open({ channel: channel.name, place: message.place, agent });
  for (const delivery of noticesFor(channel, message, received.message))
    await engine.store.outbox.add(id, delivery);
  engine.wakeDelivery(channel.name);
}

function noticesFor(channel: Channel, { place }: Inbound, text: string): NewDelivery[] {
  return planDeliveries(channel, { place }, { kind: 'notice', text, media: [] });
}

/** Stores files before their message; a refused file is named in the text. */
async function withFiles(engine: Engine, { name: channel }: Channel, message: Inbound): Promise<Inbound> {
  const { files = [], place, agent = engine.agents.defaultName } = message;
  if (files.length === 0 || engine.agents.get(agent) === undefined) return message;
  const { id } = await engine.store.sessions.open({ channel, place, agent });
  const attachments: Attachment[] = [...(message.attachments ?? [])];
  const lines = [message.text];
  for (const file of files) {
    const kept = await keepFile(engine, id, file);
    if (typeof kept === 'string') lines.push(kept);
    else attachments.push(kept);
  }
  return { ...message, attachments, text: lines.filter((line) => line !== '').join('\n') };
}

async function keepFile(
  { media, log }: Engine,
  sessionId: string,
  file: IncomingFile,
): Promise<Attachment | string> {
  try {
    return media.attachment(await media.add(sessionId, file));
  } catch (error) {
    // Any other error may be transient: the platform redelivers the whole message.
    const isTooLarge = error instanceof MediaTooLargeError;
    if (!isTooLarge && !(error instanceof FileUnavailableError)) throw error;
    const sentence = `A file of a message was left out: ${error.message}`;
    if (isTooLarge) log.info(sentence, { code: 'file-too-large', session: sessionId });
    else log.info(sentence, { code: 'file-unavailable', session: sessionId });
    return `[${file.name} was left out: ${error.message}]`;
  }
}
