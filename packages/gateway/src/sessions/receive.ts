import { reasonOf } from '@plugboard/protocol';
import { type Admission, type Message, type Session, StoreError } from '@plugboard/store';
import type { Inbound, Received, RefusalCode } from '../channels/channel.ts';
import { readCommand, textForAgent } from './commands.ts';
import { reservePlace } from './crowding.ts';
import type { Engine } from './engine.ts';
import { obey, type Tell } from './obey.ts';
import { endStray, isSteerable, type Running, steeringFor } from './running.ts';

/** Takes in what somebody said in a place, where they are told things in this way. Settles when it is kept. */
export async function receive(
  engine: Engine,
  channel: string,
  inbound: Inbound,
  tell?: Tell,
): Promise<Received> {
  const agent = inbound.agent ?? engine.agents.defaultName;
  if (engine.agents.get(agent) === undefined) return unknownAgent(agent);
  const session = await engine.store.sessions.open({ channel, place: inbound.place, agent });
  return receiveIn(engine, session, inbound, tell);
}

/** The same, for a session that is known already. */
export async function receiveIn(
  engine: Engine,
  session: Session,
  inbound: Inbound,
  tell?: Tell,
): Promise<Received> {
  if (engine.stopping) return refuse('stopping', 'The gateway is being stopped. Try again in a moment.');
  const command = inbound.plain === true ? undefined : readCommand(inbound.text);
  if (command === undefined) return admitWithinLimits(engine, session, inbound);
  try {
    const { mayCall } = inbound;
    return await obey(engine, session, { command, source: sourceOf(session, inbound), tell, mayCall });
  } catch (error) {
    return refusalOf(error);
  }
}

async function admitWithinLimits(engine: Engine, session: Session, inbound: Inbound): Promise<Received> {
  const place = await reservePlace(engine, session, principalOf(session, inbound));
  if ('full' in place) return refuse('too-many', place.full);
  try {
    return await admit(engine, session, inbound, place.done);
  } catch (error) {
    return refusalOf(error);
  } finally {
    place.done();
  }
}

/** The principal of a message: the one that `inbound` names, or the sender within the channel. */
function principalOf({ channel }: Session, { principal, sender }: Inbound): string {
  return principal ?? `${channel}:${sender}`;
}

/** What the store does not take in for a reason that whoever said it can do something about; throws everything else. */
function refusalOf(error: unknown): Received {
  if (!(error instanceof StoreError)) throw error;
  if (error.code === 'closed-session' || error.code === 'not-found')
    return refuse(error.code, 'This session has ended; begin a new one.');
  if (error.code === 'conflict')
    return refuse('reused', 'Something else was said here with this id. Give what is new an id of its own.');
  throw error;
}

async function admit(
  engine: Engine,
  session: Session,
  inbound: Inbound,
  onKept: () => void,
): Promise<Received> {
  const { store, dispatcher, line, feed } = engine;
  const admitted = store.inbox.admit({
    source: sourceOf(session, inbound),
    sessionId: session.id,
    text: inbound.plain === true ? inbound.text : textForAgent(inbound.text),
    attachments: inbound.attachments ?? [],
    sender: inbound.sender,
    principal: principalOf(session, inbound),
  });
  if (session.title === '' && session.lastEvent === 0) nameAfter(engine, session, inbound.text);
  // In the same breath: what is admitted and what is begun because of it are one commit.
  const running = engine.running.get(session.id);
  if (running === undefined) {
    dispatcher.wake();
    // The disk and the agent's start take a millisecond each, and need not wait for each other.
    if (engine.running.size < engine.limits.agents && session.waiting === 0)
      engine.agents.prepare(session.agent, session.id);
  } else running.followed = true;
  const admission = await admitted;
  onKept();
  if (!admission.duplicate) {
    engine.counts.admitted += 1;
    tell(engine, session, admission);
    if (!engine.running.has(session.id)) line.join(session.id, admission.rank);
    feed.changed(session.id);
  }
  const steered = running !== undefined && !admission.duplicate && (await steer(engine, running));
  const { message, duplicate, ahead, number } = admission;
  const turnId = steered ? running.claim.turn.id : message.turnId;
  return {
    kind: 'message',
    ...{ sessionId: session.id, messageId: message.id, number, duplicate, ahead, steered, turnId },
  };
}

/** What a message is called among all there are. With its length, a place cannot run into what the channel calls it. */
function sourceOf({ channel, place }: Session, { messageId }: Inbound): string {
  return `${channel}:${place.length}:${place}:${messageId}`;
}

const LONGEST_TITLE = 60;

/** A session is called by what was said first in it, until somebody gives it a better name. */
function nameAfter({ store, log }: Engine, session: Session, text: string): void {
  const [line = ''] = text.trim().split('\n');
  const title = line.length > LONGEST_TITLE ? `${line.slice(0, LONGEST_TITLE - 1).toWellFormed()}…` : line;
  if (title === '') return;
  store.sessions
    .rename(session.id, title)
    .catch((error) => log.warn(`A session has no name: ${reasonOf(error)}`));
}

/** People who look at the session see what was said at once. */
function tell({ feed }: Engine, session: Session, { message, number }: Admission): void {
  if (number === undefined) return;
  const { id: messageId, text, sender, attachments, receivedAt: at } = message;
  const event = { type: 'user', messageId, text, sender, attachments } as const;
  feed.publish(session.id, [{ sessionId: session.id, number, turnId: undefined, at, event }]);
}

/** Gives what waits to the running turn, where its agent can take it in. */
async function steer(engine: Engine, running: Running): Promise<boolean> {
  if (!isSteerable(running)) {
    endStray(running);
    return false;
  }
  // The turn does not end before this has: a message is in the turn, or it still waits.
  const work = takeIn(engine, running);
  running.steering = Promise.all([running.steering, work]);
  return work;
}

async function takeIn(engine: Engine, running: Running): Promise<boolean> {
  try {
    const messages = await engine.store.turns.takeWaiting(running.claim);
    for (const message of messages) hand(running, message);
    engine.counts.steered += messages.length;
    return messages.length > 0;
  } catch (error) {
    // The turn has ended meanwhile: what waits is the next turn's.
    engine.log.debug(`A message came too late to steer: ${reasonOf(error)}`);
    return false;
  }
}

/** An agent that is no longer busy gets it as a turn of its own, within the same turn of the session. */
function hand(running: Running, message: Message): void {
  const turn = steeringFor(running.claim, message);
  if (running.agent?.resident?.steer(turn) === true) running.late.expected = true;
  else running.followUps.push(turn);
}

function refuse(code: RefusalCode, message: string): Received {
  return { kind: 'refused', code, message };
}

function unknownAgent(name: string): Received {
  return refuse('unknown-agent', `There is no agent "${name}".`);
}
