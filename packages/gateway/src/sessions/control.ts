import { nearest } from '@plugboard/host';
import type { Session } from '@plugboard/store';
import type { Received } from '../channels/channel.ts';
import { type Command, helpText } from './commands.ts';
import { type Engine, stateOf, stopRunning } from './engine.ts';

/** Does what somebody told the gateway itself to do. */
export async function obey(
  engine: Engine,
  session: Session,
  command: Command,
  mayCall: (agent: string) => boolean = () => true,
): Promise<Received> {
  const answer = (reply: string, sessionId = session.id): Received => ({
    kind: 'command',
    sessionId,
    command: command.name,
    reply,
  });
  switch (command.name) {
    case 'help':
      return answer(helpText());
    case 'stop':
      return answer(stopText(await stop(engine, session.id)));
    case 'status':
      return answer(await statusText(engine, session.id));
    case 'agent':
      return answer(await chooseAgent(engine, session, command.argument, mayCall));
    case 'new': {
      const next = await startAnew(engine, session);
      return answer(`A new session has begun; ${next.agent} answers.`, next.id);
    }
  }
}

export interface Stopped {
  readonly stopped: boolean;
  /** Messages that waited, and will not be answered. */
  readonly dropped: number;
}

/** What waits goes first: it must not begin the moment the running turn ends. */
export async function stop(engine: Engine, sessionId: string): Promise<Stopped> {
  const dropped = await engine.store.inbox.dropWaiting(sessionId);
  engine.line.leave(sessionId);
  const running = engine.running.get(sessionId);
  if (running !== undefined) stopRunning(running, 'cancel');
  engine.feed.changed(sessionId);
  return { stopped: running !== undefined, dropped };
}

/** Ends a session: it can be read, and its place is free for another. */
export async function closeSession(engine: Engine, sessionId: string): Promise<void> {
  await stop(engine, sessionId);
  await engine.store.sessions.close(sessionId);
  engine.feed.changed(sessionId);
  void engine.agents.dismiss(sessionId);
}

async function startAnew(engine: Engine, session: Session): Promise<Session> {
  await closeSession(engine, session.id);
  const { channel, place } = session;
  const agent = engine.agents.get(session.agent) === undefined ? engine.agents.defaultName : session.agent;
  const next = await engine.store.sessions.open({ channel, place, agent });
  engine.feed.changed(next.id);
  return next;
}

async function chooseAgent(
  engine: Engine,
  session: Session,
  name: string,
  mayCall: (agent: string) => boolean,
): Promise<string> {
  const names = engine.agents.names.filter(mayCall);
  if (name === '') return `${session.agent} answers here. There are: ${names.join(', ')}.`;
  if (!names.includes(name)) {
    const meant = nearest(name, names);
    const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
    return `There is no agent "${name}".${hint} There are: ${names.join(', ')}.`;
  }
  await appoint(engine, session.id, name);
  return `${name} answers from now on.`;
}

/** Lets another agent answer, from the next turn on. */
export async function appoint(engine: Engine, sessionId: string, agent: string): Promise<void> {
  await engine.store.sessions.chooseAgent(sessionId, agent);
  if (!engine.running.has(sessionId)) void engine.agents.dismiss(sessionId);
  engine.feed.changed(sessionId);
}

function stopText({ stopped, dropped }: Stopped): string {
  const waiting =
    dropped === 0 ? '' : ` ${dropped} waiting ${dropped === 1 ? 'message was' : 'messages were'} dropped.`;
  return `${stopped ? 'Stopped.' : 'Nothing is running.'}${waiting}`;
}

async function statusText(engine: Engine, sessionId: string): Promise<string> {
  const session = await engine.store.sessions.get(sessionId);
  if (session === undefined) return 'There is no such session.';
  const position = engine.line.position(sessionId);
  const words = {
    idle: 'Nothing is running.',
    running: `${session.agent} is at work.`,
    queued: position === undefined ? 'Waiting.' : `Waiting: number ${position} in the line.`,
  };
  const waiting = session.waiting === 0 ? '' : ` ${session.waiting} waiting.`;
  return `Agent: ${session.agent}. ${words[stateOf(engine, session)]}${waiting}`;
}
