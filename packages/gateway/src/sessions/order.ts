import { nearest } from '@plugboard/host';
import type { Done, Order, Session } from '@plugboard/store';
import { type Command, helpText } from './commands.ts';
import { type Engine, stateOf } from './engine.ts';

/** What a command comes to: what is to be done, and what is said when it has been. */
interface Intent {
  readonly order: Order;
  reply(done: Done): string;
}

/** Reads what somebody wants of the gateway. Nothing is done yet. */
export function orderFor(
  engine: Engine,
  session: Session,
  { name, argument }: Command,
  mayCall: (agent: string) => boolean,
): Intent {
  switch (name) {
    case 'help':
      return { order: { kind: 'nothing' }, reply: helpText };
    case 'status':
      return { order: { kind: 'nothing' }, reply: (done) => statusText(engine, done.session) };
    case 'stop':
      return { order: { kind: 'drop' }, reply: stopText };
    case 'agent':
      return choice(engine, session, argument, engine.agents.names.filter(mayCall));
    case 'new': {
      const ended = endedText(engine, session);
      return {
        order: { kind: 'renew', agent: nextAgent(engine, session) },
        reply: (done) => `A new session has begun; ${done.session.agent} answers.${ended}`,
      };
    }
  }
}

/** People who count on an alarm must know that it will not ring. */
function endedText({ agents }: Engine, { id, agent }: Session): string {
  return agents.isUnderWay(agent, id) ? ` Tasks and alarms that ${agent} had under way end with that.` : '';
}

/** Whoever answered goes on, unless it is no longer there. */
function nextAgent({ agents }: Engine, { agent }: Session): string {
  return agents.get(agent) === undefined ? agents.defaultName : agent;
}

function choice(engine: Engine, session: Session, name: string, names: readonly string[]): Intent {
  const said = (text: string): Intent => ({ order: { kind: 'nothing' }, reply: () => text });
  if (name === '') return said(`${session.agent} answers here. There are: ${names.join(', ')}.`);
  if (names.includes(name)) {
    const ended = name === session.agent ? '' : endedText(engine, session);
    const reply = (): string => `${name} answers from now on.${ended}`;
    return { order: { kind: 'choose-agent', agent: name }, reply };
  }
  const meant = nearest(name, names);
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
  return said(`There is no agent "${name}".${hint} There are: ${names.join(', ')}.`);
}

function stopText({ session, dropped }: Done): string {
  const waiting =
    dropped === 0 ? '' : ` ${dropped} waiting ${dropped === 1 ? 'message was' : 'messages were'} dropped.`;
  return `${session.running ? 'Stopped.' : 'Nothing is running.'}${waiting}`;
}

function statusText(engine: Engine, session: Session): string {
  const position = engine.line.position(session.id);
  const words = {
    idle: 'Nothing is running.',
    running: `${session.agent} is at work.`,
    queued: position === undefined ? 'Waiting.' : `Waiting: number ${position} in the line.`,
  };
  const waiting = session.waiting === 0 ? '' : ` ${session.waiting} waiting.`;
  return `Agent: ${session.agent}. ${words[stateOf(engine, session)]}${waiting}`;
}
