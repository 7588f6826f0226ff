import { reasonOf } from '@plugboard/protocol';
import { type Admission, type Session, StoreError } from '@plugboard/store';
import type { TurnAgent } from '../agents/turn-agent.ts';
import type { Inbound, Received, RefusalCode } from '../channels/channel.ts';
import { readCommand, textForAgent } from './commands.ts';
import type { Engine } from './engine.ts';
import { executeCommand, type Tell } from './execute-command.ts';
import { isSteerable, type Running } from './running.ts';
import { sendMessage } from './turn.ts';
import { reserveWaitingPlace } from './waiting-limits.ts';

/**
 * Admits a message or command from `channel`. `tell` makes deliveries of a reply to a command. Settles when the message
 * is committed.
 */
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

/** Like `receive`, for a session that is open already. */
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
    const { mayCall, mayPair } = inbound;
    return await executeCommand(engine, session, {
      command,
      source: sourceOf(session, inbound),
      tell,
      mayCall,
      mayPair,
    });
  } catch (error) {
    return refusalOf(error);
  }
}

async function admitWithinLimits(engine: Engine, session: Session, inbound: Inbound): Promise<Received> {
  const place = await reserveWaitingPlace(engine, session, principalOf(session, inbound));
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

/** Translates a `StoreError` that the sender can act on into a refusal; throws all other errors. */
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
  // Same tick as `admit`: the admission and the claim are then one commit.
  const running = engine.running.get(session.id);
  const isElsewhere = engine.peers.holderOf(session) !== undefined;
  if (running === undefined && !isElsewhere) {
    dispatcher.wake();
    // Commit and process start take 1 ms each; they run at the same time.
    if (!engine.paused && engine.running.size < engine.limits.agents && session.waiting === 0)
      engine.agents.prepare(session.agent, session.id, session.agentSession);
  } else if (running !== undefined) running.followed = true;
  const admission = await admitted;
  onKept();
  if (!admission.duplicate) {
    engine.counts.admitted += 1;
    tell(engine, session, admission);
    if (!engine.running.has(session.id)) line.join(session.id, admission.rank);
    feed.changed(session.id);
    if (engine.peers.exist && running === undefined) void offerToPeers(engine, session.id);
  }
  const steered = running !== undefined && !admission.duplicate && (await steer(engine, running));
  const { message, duplicate, ahead, dropped, number } = admission;
  const turnId = steered ? running.claim.turn.id : message.turnId;
  return {
    kind: 'message',
    ...{ sessionId: session.id, messageId: message.id, number, duplicate, ahead, steered, dropped, turnId },
  };
}

/** Tells the other gateways of a message that no turn here has taken: one of them has the session, or has room. */
async function offerToPeers(engine: Engine, sessionId: string): Promise<void> {
  await engine.dispatcher.look();
  if (!engine.running.has(sessionId)) engine.peers.news.waiting(sessionId);
}

/** Idempotency key of a message. `place.length` keeps a place that contains `:` from colliding with a `messageId`. */
function sourceOf({ channel, place }: Session, { messageId }: Inbound): string {
  return `${channel}:${place.length}:${place}:${messageId}`;
}

const LONGEST_TITLE = 60;

/** Sets the title to the first line of the first message. */
function nameAfter({ store, log }: Engine, session: Session, text: string): void {
  const [line = ''] = text.trim().split('\n');
  const title = line.length > LONGEST_TITLE ? `${line.slice(0, LONGEST_TITLE - 1).toWellFormed()}…` : line;
  if (title === '') return;
  store.sessions.rename(session.id, title, 'gateway').catch((error) =>
    log.warn(`A session was not named: ${reasonOf(error)}`, {
      code: 'session-not-named',
      session: session.id,
    }),
  );
}

/** Publishes the message to streams that follow the session, without a second read from the store. */
function tell({ feed }: Engine, session: Session, { message, number }: Admission): void {
  if (number === undefined) return;
  const { id: messageId, text, sender, attachments, receivedAt: at } = message;
  const event = { type: 'user', messageId, text, sender, attachments } as const;
  feed.publish(session.id, [{ sessionId: session.id, number, turnId: undefined, at, event }]);
}

/** Moves waiting messages into the running turn, when its agent supports steering. */
export async function steer(engine: Engine, running: Running): Promise<boolean> {
  const { agent, current } = running;
  if (agent === undefined) return false;
  if (!isSteerable(running)) {
    // Such a turn may have no end, and the message waits for the agent.
    if (current?.isStray === true) agent.interrupt(current.id, 'cancel');
    return false;
  }
  // The turn is not ended before `steering` settles: a message is in the turn, or it waits in the inbox.
  const work = takeWaiting(engine, running, agent, running.steering);
  running.steering = Promise.all([running.steering, work]);
  return work;
}

/** `earlier` settles when the messages before were sent: their files may take longer to fetch. */
async function takeWaiting(
  engine: Engine,
  running: Running,
  agent: TurnAgent,
  earlier: Promise<unknown>,
): Promise<boolean> {
  try {
    const { taken: messages } = await engine.store.turns.record(running.claim, { takeWaiting: true });
    const ready = await Promise.all(messages.map((message) => engine.media.fetchFor(message)));
    await earlier;
    for (const message of ready) sendMessage(engine, running, agent, message);
    engine.counts.steered += messages.length;
    return messages.length > 0;
  } catch (error) {
    // The turn has ended: the message waits for the next turn.
    engine.log.debug(`A message came too late to steer: ${reasonOf(error)}`, { code: 'steered-too-late' });
    return false;
  }
}

function refuse(code: RefusalCode, message: string): Received {
  return { kind: 'refused', code, message };
}

function unknownAgent(name: string): Received {
  return refuse('unknown-agent', `There is no agent "${name}".`);
}
