import type { Attachment } from '@plugboard/host';
import { reasonOf } from '@plugboard/protocol';
import type { NewDelivery } from '@plugboard/store';
import { deliveries } from '../delivery/plan.ts';
import { MediaTooLargeError } from '../media/shelf.ts';
import type { Engine } from '../sessions/engine.ts';
import { receive } from '../sessions/receive.ts';
import type { Channel, Inbound, IncomingFile, Ingress, Received } from './channel.ts';
import { createQuiet } from './quiet.ts';

/** What comes in through a channel, and what has to be said to it at once. */
export function createIngress(engine: Engine, channel: Channel, fail: (reason: string) => void): Ingress {
  const isQuiet = createQuiet();
  return {
    async receive(message) {
      const kept = await withFiles(engine, channel, message);
      const received = await receiveOnce(engine, channel, kept);
      if (!channel.limits.readsLog) await answer(engine, channel, message, received, isQuiet);
      return received;
    },
    async note(sessionId, id, text) {
      const noted = await engine.store.log.note(sessionId, { id, event: { type: 'notice', text } });
      if (!noted.duplicate) engine.feed.publish(sessionId, [noted.event]);
      return noted.event.number;
    },
    fail,
  };
}

/** Somebody may end the session in the moment in which it is found; then the message belongs to the next one. */
async function receiveOnce(engine: Engine, channel: Channel, message: Inbound): Promise<Received> {
  const tell = channel.limits.readsLog ? undefined : (text: string) => noticesFor(channel, message, text);
  const received = await receive(engine, channel.name, message, tell);
  const closed = received.kind === 'refused' && received.code === 'closed-session';
  return closed ? receive(engine, channel.name, message, tell) : received;
}

/** Those who read the log are answered by whoever let them in; all others through the outbox. */
async function answer(
  engine: Engine,
  channel: Channel,
  message: Inbound,
  received: Received,
  isQuiet: (place: string) => boolean,
): Promise<void> {
  if (received.kind === 'message') return;
  // What is answered was put into the outbox together with what was done.
  if (received.kind === 'command') return engine.wakeDelivery(channel.name);
  // The platform gives it again after the restart.
  if (received.code === 'stopping') throw new Error(received.message);
  if (received.code === 'unknown-agent') return engine.log.error(received.message, { channel: channel.name });
  // People know nothing of ids: what they have changed since, or a channel that mixes names up, is the operator's affair.
  if (received.code === 'reused') return engine.log.warn(received.message, { channel: channel.name });
  if (isQuiet(message.place)) return;
  const agent = message.agent ?? engine.agents.defaultName;
  const { id } = await engine.store.sessions.open({ channel: channel.name, place: message.place, agent });
  for (const delivery of noticesFor(channel, message, received.message))
    await engine.store.outbox.add(id, delivery);
  engine.wakeDelivery(channel.name);
}

function noticesFor(channel: Channel, { place }: Inbound, text: string): NewDelivery[] {
  return deliveries(channel, { place }, { kind: 'notice', text, media: [] });
}

/** Files are kept before the message that brings them; one that cannot be is named in its text. */
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
    // What cannot be written now may be later: the platform gives the whole message again.
    if (!(error instanceof MediaTooLargeError)) throw error;
    log.info(`A file was left out: ${reasonOf(error)}`, { session: sessionId });
    return `[${file.name} was left out: ${error.message}]`;
  }
}
