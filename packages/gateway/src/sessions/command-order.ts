import { nearest } from '@plugboard/host';
import { type AgentOption, optionProblem, withChosen } from '@plugboard/protocol';
import type { Done, Offered, Order, Session } from '@plugboard/store';
import { type Command, helpText } from './commands.ts';
import { type Engine, stateOf } from './engine.ts';

/** Effect of a command on the store, and its reply after the effect is committed. */
interface Intent {
  readonly order: Order;
  reply(done: Done): string;
}

/** Facts that decide what a command may do. */
interface Around {
  readonly mayCall: (agent: string) => boolean;
  /** Whether `/pair` is for this person; `/help` names it then. */
  readonly mayPair?: boolean | undefined;
  /** Read for `/set` alone. */
  readonly offered: Offered;
  /** Messages that the running turn has taken in; read for commands that drop messages. */
  readonly takenIn: readonly string[] | undefined;
}

/** Translates a command into an `Order`. Has no effects. */
export function orderFor(
  engine: Engine,
  session: Session,
  { name, argument }: Command,
  { mayCall, mayPair, offered, takenIn }: Around,
): Intent {
  switch (name) {
    case 'start':
      return {
        order: { kind: 'nothing' },
        reply: () => `${session.agent} answers here.\n${helpText(mayPair)}`,
      };
    case 'help':
      return { order: { kind: 'nothing' }, reply: () => helpText(mayPair) };
    case 'status':
      return { order: { kind: 'nothing' }, reply: (done) => statusText(engine, done.session) };
    case 'stop':
      return { order: { kind: 'drop', takenIn }, reply: stopText };
    case 'agent':
      return choice(engine, session, argument, engine.agents.names.filter(mayCall));
    case 'set':
      return setting(argument, offered);
    case 'new': {
      const ended = endedText(engine, session);
      return {
        order: { kind: 'renew', agent: nextAgent(engine, session), takenIn },
        reply: (done) => `A new session has begun; ${done.session.agent} answers.${ended}`,
      };
    }
  }
}

/** Users who rely on an alarm must know that it will not fire. */
function endedText({ agents }: Engine, { id, agent }: Session): string {
  return agents.isUnderWay(agent, id) ? ` Tasks and alarms that ${agent} had under way end with that.` : '';
}

/** Keeps `session.agent` unless it is no longer configured. */
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

/** `/set NAME VALUE`; without a value, the options with their values. */
function setting(argument: string, { options }: Offered): Intent {
  const said = (reply: Intent['reply']): Intent => ({ order: { kind: 'nothing' }, reply });
  const [, id = '', typed = ''] = /^(\S+)\s+(.+)$/.exec(argument) ?? [];
  if (id === '') return said(({ session }) => optionsText(withChosen(options, session.chosen)));
  const isSwitch = options.find((option) => option.id === id)?.choices === undefined;
  const value = isSwitch && (typed === 'true' || typed === 'false') ? typed === 'true' : typed;
  const problem = optionProblem(options, id, value);
  if (problem !== undefined) return said(() => problem);
  const order: Order = { kind: 'choose-options', values: { [id]: value } };
  return { order, reply: () => `${id} is ${value} from the next message on.` };
}

/** More choices than this are not listed in a chat. */
const MOST_CHOICES = 20;

function optionsText(options: readonly AgentOption[]): string {
  const lines = options.map(({ id, value, choices }) => {
    const values = choices?.map((choice) => choice.value) ?? ['true', 'false'];
    const more = values.length > MOST_CHOICES ? `, and ${values.length - MOST_CHOICES} more` : '';
    return `${id} = ${value} (${values.slice(0, MOST_CHOICES).join(', ')}${more})`;
  });
  return lines.length === 0 ? 'The agent has offered nothing to set.' : lines.join('\n');
}

function stopText({ session, dropped }: Done): string {
  const waiting =
    dropped === 0 ? '' : ` ${dropped} ${dropped === 1 ? 'message was' : 'messages were'} dropped.`;
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
